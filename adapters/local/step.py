"""How many records a step takes, and how long: between two steps, a process takes part in its group, commits and stops."""

import threading
import time
from typing import Final

from eddyline.application.runtime.input.interruption import Interruption
from eddyline.application.runtime.plan.options import RunOptions

_FIRST: Final = 50_000
_GROWTH: Final = 16
_LIMIT: Final = 5
_LOOKS: Final = 5
_UNLIMITED: Final = 1_000_000_000


class StepSize:
    """The number of records that a step takes, and that are processed between two commits, by the time of those before.

    The first step takes 50,000 records; or one, if records are taken by arrival, since such a step is not interrupted. Each of
    the next ones takes up to 16 times as many as the one before, and not more than a batch of the options. Commits take time if
    tables forward cached updates then; so no step takes more records than a commit.

    Args:
        options: The options of the run.
        aim_s: How long a step should take, in seconds.
    """

    def __init__(self, options: RunOptions, aim_s: float) -> None:
        self._most, self._aim_s = options.batch_records, aim_s
        self._limit = 1 if options.order == "arrival" else min(_FIRST, self._most)
        self._between_commits = _UNLIMITED
        self._uncommitted = 0

    @property
    def limit(self) -> int:
        """The number of records of the next step."""
        return min(self._limit, self._between_commits)

    def ended(self, records: int, seconds: float) -> None:
        """Note how many records a step has processed, and in which time; one that had few and was short changes nothing."""
        self._uncommitted += records
        self._limit = self._next(self._limit, records, seconds, self._most)

    def committed(self, seconds: float) -> None:
        """Note how long tasks have worked for a commit, also for one that was lost."""
        self._between_commits = self._next(self._between_commits, self._uncommitted, seconds, _UNLIMITED)
        self._uncommitted = 0

    @property
    def needs_commit(self) -> bool:
        """Whether a commit with more records than were processed since the last one would take too long."""
        return self._uncommitted >= self._between_commits

    def _next(self, limit: int, records: int, seconds: float, most: int) -> int:
        if seconds > self._aim_s:
            return max(1, min(limit, int(records * self._aim_s / seconds)))
        if records * 2 < limit:
            return limit
        growth = _GROWTH if seconds * _GROWTH <= self._aim_s else self._aim_s / seconds
        return max(limit, min(int(records * growth), most))


class StepWatch:
    """Interrupts a step that takes five times as long as it should, between two records.

    Args:
        aim_s: How long a step should take, in seconds.
        interruption: What the tasks look at.
        stopping: Set when the run is to end: then every step is interrupted.
    """

    def __init__(self, aim_s: float, interruption: Interruption, stopping: threading.Event) -> None:
        self._limit_s = aim_s * _LIMIT
        self._interruption, self._stopping = interruption, stopping
        self._began: float | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="eddyline-steps", daemon=True).start()

    def begin(self) -> None:
        """Begin a step."""
        self._began, self._interruption.requested = time.monotonic(), False
        if self._stopping.is_set():
            self._interruption.requested = True

    def end(self) -> None:
        """End a step."""
        self._began = None

    def close(self) -> None:
        """Watch no longer."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(self._limit_s / _LOOKS):
            began = self._began
            if began is not None and time.monotonic() - began > self._limit_s:
                self._interruption.requested = True
