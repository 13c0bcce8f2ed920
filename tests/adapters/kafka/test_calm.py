import logging

from eddyline.adapters.kafka.calm import NotSoonAgain


def test_a_complaint_is_heard_once_in_a_while_whatever_numbers_it_has() -> None:
    clock = iter([0.0, 1.0, 2.0, 29.0, 31.0])
    calm = NotSoonAgain(30.0, now=lambda: next(clock))
    said = [
        "broker 1 away after 3 ms",
        "broker 1 away after 0 ms",
        "no such topic",
        "broker 2 away after 5 ms",
        "broker 1 away after 7 ms",
    ]
    heard = [calm.filter(logging.LogRecord("x", logging.WARNING, "", 0, "%s", (text,), None)) for text in said]
    assert heard == [True, False, True, False, True]
