"""What a run reports: how far it is and what it has counted."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from eddyline.application.runtime.task_host import TaskReport


@dataclass
class RunReport:
    """What a run has counted since it was started; a batch that was repeated after a failure counts again.

    `records` are those that tasks took from the log, `drops` the dropped ones by node and reason, `written` the results by
    topic.
    """

    records: int = 0
    dead_letters: int = 0
    drops: Counter[tuple[str, str]] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    batches: int = 0

    def add(self, report: TaskReport) -> None:
        """Add what a task counted in a batch."""
        self.records += report.records
        self.dead_letters += report.dead_letters
        self.drops.update(report.drops)


@dataclass(frozen=True)
class Progress:
    """How far a run is after a batch.

    Args:
        batch: the number of the batch.
        done: the records processed since the run began.
        total: the records that the log held when the run began, None for a run without an end.
        seconds: the duration of the batch.
    """

    batch: int
    done: int
    total: int | None
    seconds: float


OnProgress: TypeAlias = Callable[[Progress, RunReport], None]
"""Called after each batch with its progress and the report of the run so far."""
