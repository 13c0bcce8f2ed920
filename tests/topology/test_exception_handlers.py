"""The context of an exception is one line, and a handler chooses one of three responses."""

from typing import Any

import pytest

from eddyline.application.topology.exception_handlers import ErrorContext, response_of


class Unprintable:
    def __repr__(self) -> str:
        raise LookupError("no text")


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (ErrorContext("op", "0_1"), "operator 'op' of task 0_1, no record, key None"),
        (
            ErrorContext("op", "0_1", "in", 2, 9, 1_700_000_000_005, "k"),
            "operator 'op' of task 0_1, record in-2@9, key 'k', event time 2023-11-14T22:13:20.005Z",
        ),
        (
            ErrorContext("op", "0_1", timestamp=0),
            "operator 'op' of task 0_1, no record, key None, event time 1970-01-01T00:00:00.000Z",
        ),
        (ErrorContext("op", "0_1", timestamp=-1), "operator 'op' of task 0_1, no record, key None, event time -1 ms"),
        (
            ErrorContext("op", "0_1", timestamp=253_402_300_799_999),
            "operator 'op' of task 0_1, no record, key None, event time 9999-12-31T23:59:59.999Z",
        ),
        (
            ErrorContext("op", "0_1", timestamp=253_402_300_800_000),
            "operator 'op' of task 0_1, no record, key None, event time 253402300800000 ms",
        ),
        (ErrorContext("op", "0_1", key="k" * 58), f"operator 'op' of task 0_1, no record, key '{'k' * 58}'"),
        (ErrorContext("op", "0_1", key="k" * 59), f"operator 'op' of task 0_1, no record, key '{'k' * 59}…"),
        (ErrorContext("op", "0_1", key=Unprintable()), "operator 'op' of task 0_1, no record, key <Unprintable>"),
    ],
)
def test_a_context_is_one_line(context: ErrorContext, expected: str) -> None:
    assert str(context) == expected


CONTEXT, ERROR = ErrorContext("op", "0_1"), LookupError("no")


def test_a_response_is_used_as_it_is_and_a_function_gets_context_and_exception() -> None:
    calls: list[Any] = []

    def handle(context: ErrorContext, error: Exception) -> Any:
        calls.append((context, error))
        return "dead-letter"

    assert response_of("continue", CONTEXT, ERROR) == "continue"
    assert response_of(handle, CONTEXT, ERROR) == "dead-letter"
    assert calls == [(CONTEXT, ERROR)]


def test_another_response_is_an_error_with_the_choices() -> None:
    def handler(_context: ErrorContext, _error: Exception) -> Any:
        return "retry"

    with pytest.raises(ValueError, match=r"returned 'retry'; return one of: 'fail', 'continue', 'dead-letter'$"):
        response_of(handler, CONTEXT, ERROR)
