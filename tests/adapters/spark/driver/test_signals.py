"""SIGINT and SIGTERM ask a run to stop."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from eddyline.adapters.spark.driver.signals import stop_requests


@pytest.fixture
def received() -> Iterator[list[int]]:
    """Return the signals that reach the handlers of the test itself."""
    numbers: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda number, _frame: numbers.append(number))
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_requests_a_stop_and_the_second_one_is_handled_as_before(received: list[int], number: int) -> None:
    requests: list[str] = []
    with stop_requests(lambda: requests.append("stop")):
        os.kill(os.getpid(), number)
        assert (requests, received) == (["stop"], [])
        os.kill(os.getpid(), number)
        assert (requests, received) == (["stop"], [number])


def test_after_the_block_signals_are_handled_as_before(received: list[int]) -> None:
    requests: list[str] = []
    with stop_requests(lambda: requests.append("stop")):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    assert (requests, received) == ([], [signal.SIGTERM])


def test_in_another_thread_signals_are_handled_as_before() -> None:
    handlers: list[object] = []

    def in_thread() -> None:
        with stop_requests(lambda: None):
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGTERM)]
