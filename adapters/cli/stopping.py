"""Stops a command on SIGINT and SIGTERM: gracefully on the first one, at once on the second."""

import os
import signal
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event
from typing import Final, Self

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_EXIT_CODE: Final = 128
"""What shells add to the number of the signal that has ended a process."""


class StoppedError(BaseException):
    """A signal has arrived while nothing could be stopped gracefully; it is no Exception, so that nothing handles it as one."""


class StopSignals:
    """Receives SIGINT and SIGTERM in a `with` block; the handlers from before are restored afterwards.

    The first signal raises StoppedError in the main thread, such as while a run starts, or stops what `stopping` has been given.
    The second one ends the process at once, with the exit code 128 + its number, as shells report signals.
    """

    def __init__(self) -> None:
        self._stop: Callable[[], None] | None = None
        self._received: Callable[[], bool] = lambda: False
        self._first = False

    @property
    def received(self) -> bool:
        """Whether a signal has arrived."""
        return self._first

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop` when the first signal arrives in the `with` block.

        Python runs handlers in the main thread, between any two of its steps: there, `stop` would wait for ever for a lock that
        this thread holds, as it does for moments while it waits for an event. So it is called in a thread of its own.
        """
        self._stop = stop
        if self._first:
            stop()
        try:
            yield
        finally:
            self._stop = None

    @contextmanager
    def received_by(self, received: Callable[[], bool], _stop: Callable[[], None]) -> Iterator[None]:
        """Let something else handle the first signal in the `with` block, once it can, and say whether one has arrived."""
        self._received = received
        yield

    def _handle(self, number: int, _frame: object) -> None:
        if self._first or self._received():
            os._exit(_EXIT_CODE + number)
        self._first = True
        if self._stop is None:
            raise StoppedError
        start_new_thread(self._stop, ())


class StopRequest:
    """Stops what runs in a thread, to which no signals come; used as StopSignals are in the main thread."""

    def __init__(self) -> None:
        self.requested = Event()
        self._stop: Callable[[], None] | None = None

    def request(self) -> None:
        """Stop what is running, or will be; may be called again."""
        self.requested.set()
        stop = self._stop
        if stop is not None:
            stop()

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop` when a stop is requested in the `with` block, or was before."""
        self._stop = stop
        if self.requested.is_set():
            stop()
        try:
            yield
        finally:
            self._stop = None

    def received_by(self, _received: Callable[[], bool], stop: Callable[[], None]) -> AbstractContextManager[None]:
        """Do as `stopping` does."""
        return self.stopping(stop)


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` when SIGINT or SIGTERM arrives in the `with` block, as `StopSignals.stopping` does."""
    with StopSignals() as signals, signals.stopping(stop):
        yield
