"""SIGINT and SIGTERM request a stop."""

import os
import signal
import threading
from collections.abc import Iterator
from queue import SimpleQueue

import pytest

from eddyline.adapters.spark.engine import stop_requests


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


@pytest.fixture
def requests() -> "SimpleQueue[str]":
    return SimpleQueue()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_requests_a_stop_and_the_second_one_is_handled_as_before(
    received: list[int], requests: "SimpleQueue[str]", number: int
) -> None:
    with stop_requests(lambda: requests.put("stop")):
        os.kill(os.getpid(), number)
        assert requests.get(timeout=120) == "stop"
        assert received == []
        os.kill(os.getpid(), number)
    assert (requests.empty(), received) == (True, [number])


@pytest.mark.timeout(30)
def test_a_signal_does_not_wait_for_a_lock_that_the_main_thread_holds(received: list[int]) -> None:
    lock, stopping = threading.Lock(), threading.Event()

    def stop() -> None:
        with lock:
            stopping.set()

    with stop_requests(stop):
        with lock:
            os.kill(os.getpid(), signal.SIGTERM)
            assert not stopping.wait(0.01)
        assert stopping.wait(120)
    assert received == []


def test_after_the_block_signals_are_handled_as_before(received: list[int], requests: "SimpleQueue[str]") -> None:
    with stop_requests(lambda: requests.put("stop")):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    assert (requests.empty(), received) == (True, [signal.SIGTERM])


def test_in_another_thread_signals_are_handled_as_before() -> None:
    handlers: list[object] = []

    def in_thread() -> None:
        with stop_requests(lambda: None):
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGTERM)]
