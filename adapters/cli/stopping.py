"""Stops a command gracefully on SIGINT and SIGTERM."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` when SIGINT or SIGTERM arrives in the `with` block; the handlers from before are restored afterwards."""
    before = {number: signal.signal(number, lambda *_: stop()) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
