"""What a run reports: its progress and its counts."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.task_host import TaskReport


@dataclass
class RunReport:
    """The counts of a run. A batch that is repeated after a failure counts again.

    `records` is the number of records that tasks have taken from the log, `drops` that of dropped records by node and reason,
    `written` that of results by topic. `skipped` has, by partition, the number of offsets that were skipped because
    `auto_offset_reset` accepts their loss; 0 for a partition that was read from its beginning again.
    """

    records: int = 0
    dead_letters: int = 0
    drops: Counter[tuple[str, str]] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    batches: int = 0
    skipped: dict[TopicPartition, int] = field(default_factory=dict)

    def add(self, report: TaskReport) -> None:
        """Add the counts of a task in one batch."""
        self.records += report.records
        self.dead_letters += report.dead_letters
        self.drops.update(report.drops)
        self.add_skipped(report.skipped)

    def add_skipped(self, skipped: Mapping[TopicPartition, int]) -> None:
        """Add the numbers of offsets that were skipped, by partition."""
        for partition, number in skipped.items():
            self.skipped[partition] = self.skipped.get(partition, 0) + number


@dataclass(frozen=True)
class Progress:
    """The progress of a run after a batch.

    Args:
        batch: the number of the batch.
        done: the records processed since the run began.
        total: the records to process in this run, None if the run has no end.
        seconds: the duration of the batch.
    """

    batch: int
    done: int
    total: int | None
    seconds: float


OnProgress: TypeAlias = Callable[[Progress, RunReport], None]
"""Called after each batch with its progress and the report of the run so far."""
