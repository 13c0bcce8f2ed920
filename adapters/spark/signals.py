"""Lets SIGINT and SIGTERM ask for an end instead of bringing it about."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def asking(ask: Callable[[], None]) -> Iterator[None]:
    """Calls `ask` on the first signal of each kind; a second one does what it did before. Only the main thread can do this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in numbers}

    def handle(number: int, _frame: object) -> None:
        signal.signal(number, before[signal.Signals(number)])
        ask()

    for number in numbers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])
