"""SIGINT and SIGTERM stop a command."""

import os
import signal
import threading

import pytest

from eddyline.adapters.cli.stopping import stopped_by_signals


@pytest.mark.timeout(60)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_and_does_not_wait_for_a_lock_that_the_main_thread_holds(number: int) -> None:
    before = signal.getsignal(number)
    lock, stopping = threading.Lock(), threading.Event()

    def stop() -> None:
        with lock:
            stopping.set()

    with stopped_by_signals(stop):
        with lock:
            os.kill(os.getpid(), number)
            assert not stopping.wait(0.01)
        assert stopping.wait(120)
    assert signal.getsignal(number) == before
