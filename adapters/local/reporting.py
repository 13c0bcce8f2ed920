"""Reports the progress of a run: what happened in about a second counts as a batch."""

import time
from collections.abc import Mapping

from eddyline.adapters.local.tasks import LocalTasks
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.input.offsets import Offsets, by_partition
from eddyline.application.runtime.progress.report import OnProgress, Progress, RunReport
from eddyline.application.runtime.task.stores import entry_count


class Reporter:
    """Calls `on_progress` after commits, at most once in an interval, and counts batches in `report`.

    Args:
        report: the report of the run.
        on_progress: receives the progress, if given.
        interval_s: the least time between two calls in seconds.
        target: the end offsets at which the run ends, None for a run without an end.
    """

    def __init__(self, report: RunReport, on_progress: OnProgress | None, interval_s: float, target: Offsets | None) -> None:
        self.report, self._on_progress, self._interval_s, self._target = report, on_progress, interval_s, target
        self._before = report.begin_batch()
        self._busy_s = 0.0
        self._began: float | None = None
        self._due = time.monotonic()
        self._begin: dict[TopicPartition, int] = {}
        self._start: dict[TopicPartition, int] = {}
        self._unreported: tuple[int, LocalTasks] | None = None

    def ready(self, positions: Mapping[TopicPartition, int]) -> None:
        """Begin at these positions, unless progress was reported from others."""
        self._begin = {**positions, **self._begin}
        self._start = {**positions, **self._start}

    def begin(self) -> None:
        """Begin a step."""
        self._began = time.monotonic()

    def end(self, *, is_idle: bool) -> None:
        """End a step; if nothing follows, report the commits that were too early to be reported."""
        self._note_time()
        self._began = None
        if is_idle and self._unreported is not None and time.monotonic() >= self._due:
            self.flush()

    def committed(self, batch: int, tasks: LocalTasks) -> None:
        """Report a commit, if the last report was long enough ago."""
        self._unreported = batch, tasks
        if time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Report the commits that were not reported yet."""
        if self._unreported is None:
            return
        (batch, tasks), self._unreported = self._unreported, None
        self._note_time()
        self._due = time.monotonic() + self._interval_s
        report, positions = self.report, tasks.lowest_positions()
        report.batches += 1
        states = [host.state()._replace(entries=entry_count(host.task.stores.values())) for host in tasks.hosts.values()]
        report.tasks = {state.task: state for state in states}
        if self._on_progress is not None:
            done = self._records_to(positions)
            total = None if self._target is None else max(done, self._records_to(by_partition(self._target)))
            progress = Progress(batch, done, total, self._busy_s, report.since(self._before), self._start, positions)
            self._on_progress(progress, report)
        self._before, self._busy_s = report.begin_batch(), 0.0
        self._start = dict(positions)

    def moved(self, batch: int, tasks: LocalTasks) -> None:
        """Report that tasks have moved to another process, so that their partitions are no longer behind here."""
        self._unreported = batch, tasks
        self.flush()

    def _records_to(self, positions: Mapping[TopicPartition, int]) -> int:
        """Return the number of offsets from where the run began to these."""
        return sum(offset - self._begin.get(where, offset) for where, offset in positions.items())

    def _note_time(self) -> None:
        """Note how long the step has taken so far."""
        if self._began is not None:
            now = time.monotonic()
            self._busy_s += now - self._began
            self._began = now
