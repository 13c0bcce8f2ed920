"""Turns SIGINT and SIGTERM into a request to stop."""

import signal
import threading
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_requests(request_stop: Callable[[], None]) -> Iterator[None]:
    """Call `request_stop` on the first signal of each kind; the previous handler receives the second one.

    Python runs signal handlers in the main thread only; in other threads this does nothing. `request_stop` is called in a thread
    of its own, since it would wait for ever for a lock that the interrupted thread holds.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in numbers}

    def handle(number: int, _frame: object) -> None:
        signal.signal(number, before[signal.Signals(number)])
        start_new_thread(request_stop, ())

    for number in numbers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])
