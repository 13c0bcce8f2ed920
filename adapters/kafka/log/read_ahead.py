"""Fetches ahead of the ranges that are read, while this process reads none.

Between two batches a process waits for transactions and for the driver. What the readers fetch then, the next batch need not
wait for.
"""

import os
import threading
from typing import Final, Protocol

from eddyline.adapters.kafka.clients.logs import LOGGER

_BUDGET_BYTES: Final = 64 << 20
_PAUSE_S: Final = 0.005
_PAUSES: Final = 40
_IDLE_S: Final = 5.0


class Source(Protocol):
    """A reader that can fetch ahead."""

    def fetch_ahead(self, budget: int) -> int | None:
        """Fetch what has arrived, without waiting.

        Args:
            budget: The bytes that may be kept.

        Returns:
            The bytes that are kept from now on, 0 if nothing has arrived, None if nothing is to be fetched any more.
        """


class ReadAhead:
    """Lets readers fetch in one thread of this process, in turn, whenever none of its threads reads a range.

    `kept` has the bytes that they keep.

    Args:
        budget: The bytes that all readers together may keep.
    """

    def __init__(self, budget: int = _BUDGET_BYTES) -> None:
        self._budget = budget
        self._start_empty()
        os.register_at_fork(after_in_child=self._start_empty)

    def begin_range(self) -> None:
        """Begin to read a range; no reader fetches ahead when this returns, until `end_range`."""
        with self._changed:
            self._reading += 1
            while self._fetching is not None:
                self._changed.wait()

    def end_range(self) -> None:
        """End what `begin_range` has begun."""
        with self._changed:
            self._reading -= 1
            self._changed.notify_all()

    def follow(self, source: Source) -> None:
        """Let a reader fetch ahead until it has enough, or until `forget`."""
        with self._changed:
            self._pauses[source] = 0
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="read-ahead", daemon=True).start()
            self._changed.notify_all()

    def forget(self, source: Source) -> None:
        """Let a reader fetch nothing more; it does not fetch when this returns."""
        with self._changed:
            self._pauses.pop(source, None)
            while self._fetching is source:
                self._changed.wait()

    def release(self, size: int) -> None:
        """Return bytes that a reader has kept to the budget."""
        with self._changed:
            self.kept -= size

    _running: bool

    def _start_empty(self) -> None:
        """Begin without readers; a forked process has no thread, and none of the clients of its parent."""
        self._changed = threading.Condition()
        self._pauses: dict[Source, int] = {}
        self._fetching: Source | None = None
        self._reading = self.kept = 0
        self._running = False

    def _run(self) -> None:
        while (source := self._next()) is not None:
            size = None
            try:
                size = source.fetch_ahead(self._budget - self.kept)
            except Exception:  # noqa: BLE001 - a range that is read meets the same problem, and raises it
                LOGGER.debug("a reader cannot fetch ahead", exc_info=True)
            self._done(source, size)

    def _next(self) -> Source | None:
        """Wait until a reader may fetch; return None, which ends the thread, if there has been none for a while."""
        paused: Source | None = None
        with self._changed:
            while True:
                while self._reading or not self._pauses:
                    if not self._changed.wait(_IDLE_S) and not self._pauses:
                        self._running = False
                        return None
                source, pauses = next(iter(self._pauses.items()))
                if not pauses or source is paused:
                    self._fetching = source
                    return source
                self._changed.wait(_PAUSE_S)
                paused = source

    def _done(self, source: Source, size: int | None) -> None:
        with self._changed:
            self._fetching = None
            pauses = self._pauses.pop(source, None)
            self.kept += size or 0
            if size is not None and pauses is not None and pauses < _PAUSES:
                self._pauses[source] = 0 if size else pauses + 1
            self._changed.notify_all()


READ_AHEAD: Final = ReadAhead()
"""Reads ahead for all readers of this process."""
