"""Stops a command gracefully on SIGINT and SIGTERM."""

import signal
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` when SIGINT or SIGTERM arrives in the `with` block; the handlers from before are restored afterwards.

    Python runs handlers in the main thread, between any two of its steps: there, `stop` would wait for ever for a lock that this
    thread holds, as it does for moments while it waits for an event. So it is called in a thread of its own.
    """
    before = {number: signal.signal(number, lambda *_: start_new_thread(stop, ())) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
