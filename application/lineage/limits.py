"""Limits on the work of one answer, and how much of it is done."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")

_SLICE_S: Final = 0.002
"""How long a replay works until it gives way, if it may only use a share of the time."""


@dataclass(frozen=True)
class Limits:
    """Limits on the work of one answer.

    Attributes:
        records: The number of records that are replayed to find the inputs.
        first: The number of records before a result that are replayed first, if the state of the flow forgets old records; then
            ten times as many, then all.
        tests: The number of records that are replayed to test them.
        history: The number of records up to which inputs are looked for among all that were processed, if tracking alone does
            not find those that a processor remembers outside of its stores.
        results: The number of results that are listed for a record.
        seconds: How long the replays of the answer may take in all; None for any time.
        share: The share of the time in which records are replayed; in the rest of it, other threads of the process work alone.
    """

    records: int = 1_000_000
    first: int = 10_000
    tests: int = 50_000
    history: int = 5_000
    results: int = 20
    seconds: float | None = None
    share: float = 1.0


class UnknownSubjectError(LookupError):
    """There is no such result, record, store or entry; the message says what there is."""


class ReplayStoppedError(Exception):
    """There is no answer, because its replays were stopped or have reached the limit of their time."""


class _EndError(BaseException):
    """Ends the work of an answer; it passes all handlers of exceptions."""


class Effort:
    """The work of one answer: counted, limited, and stopped by another thread.

    Attributes:
        replayed: The number of records that were replayed.
        is_begun: Whether the work has begun.
    """

    def __init__(self, limits: Limits) -> None:
        self.replayed = 0
        self.is_begun = False
        self._limits = limits
        self._stopped = threading.Event()
        self._rest = (1 - limits.share) / limits.share
        self._began = self._resumed = time.monotonic()

    def stop(self) -> None:
        """End the work at its next record."""
        self._stopped.set()

    def spend(self, work: Callable[[], T]) -> T:
        """Return what a function returns that calls `step` for each record.

        Raises:
            ReplayStoppedError: The work was stopped, or has taken too long.
        """
        self.is_begun = True
        self._began = self._resumed = time.monotonic()
        try:
            return work()
        except _EndError as end:
            raise ReplayStoppedError(f"{end} after {self.replayed:,} record{'' if self.replayed == 1 else 's'}") from None

    def step(self) -> None:
        """Count a record, give way to other threads, and end the work if it was stopped or has taken too long."""
        self.replayed += 1
        now = time.monotonic()
        if self._rest and now - self._resumed > _SLICE_S:
            self._stopped.wait((now - self._resumed) * self._rest)
            self._resumed = time.monotonic()
        if self._stopped.is_set():
            raise _EndError("the replay was stopped")
        seconds = self._limits.seconds
        if seconds is not None and now - self._began > seconds:
            raise _EndError(f"the replay has reached its limit of {seconds:g} s; 'eddyline why' has none: it was stopped")
