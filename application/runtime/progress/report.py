"""What a run reports: its progress and its counts."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Self, TypeAlias

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.input.trace_contexts import MOST_CONTEXTS
from eddyline.application.topology.metrics import MetricValue


class TaskState(NamedTuple):
    """The state of a task after a batch.

    Attributes:
        task: The index of the sub-topology and the partition, such as `0_2`.
        stream_time: The stream time in ms since the epoch, None before the first record.
        entries: The entries of its stores, None if they are not counted.
        size_bytes: The size of the stored state, None if it is not known.
    """

    task: str
    stream_time: int | None
    entries: int | None = None
    size_bytes: int | None = None


class TaskReport(NamedTuple):
    """The counts of a task in one or more batches.

    Attributes:
        records: Records taken from the log.
        dead_letters: Dead letters: records that could not be decoded, that failed, and with `dead_letter_drops` dropped ones.
        drops: Dropped records by node and reason.
        skipped: Offsets that the log has lost, by partition.
        consumed: Records processed by topic, repartition topics included.
        undecodable: Records that could not be decoded by topic.
        processed: Records processed by node; empty unless the run counts them.
        state: The state after the batch, None for a slot, which has none.
        transactions: Slots written by outcome: `committed`, `repeated` if an earlier attempt had written the slot, and the
            numbers of attempts that failed by cause, `fenced` or `retried`.
        trace_contexts: Trace contexts of records, if they are collected.
        late_windows: Closed windows for which records were late by node; a record may be late for several.
        metrics: What the metrics of processors have counted, by node and name.
        times: When the task or slot began and ended, in ms since the epoch, None if it is not measured.
    """

    records: int
    dead_letters: int
    drops: Counter[tuple[str, str]]
    skipped: Mapping[TopicPartition, int] = MappingProxyType({})
    consumed: Mapping[str, int] = MappingProxyType({})
    undecodable: Mapping[str, int] = MappingProxyType({})
    processed: Mapping[str, int] = MappingProxyType({})
    state: TaskState | None = None
    transactions: Mapping[str, int] = MappingProxyType({})
    trace_contexts: Sequence[str] = ()
    late_windows: Mapping[str, int] = MappingProxyType({})
    metrics: Mapping[tuple[str, str], MetricValue] = MappingProxyType({})
    times: tuple[int, int] | None = None


@dataclass
class RunReport:
    """The counts of a run. A batch that is repeated after a failure counts again.

    `records` is the number of records that tasks have taken from the log, `drops` that of dropped records by node and reason,
    `written` that of results by topic. `skipped` has, by partition, the number of offsets that were skipped because
    `auto_offset_reset` accepts their loss; 0 for a partition that was read from its beginning again.

    `consumed` and `undecodable` have the numbers of records by topic that were processed, repartition topics included, and that
    could not be decoded. `processed` has the number of records by node, if the run counts them. `tasks` has the state of each
    task after its last batch, by its id such as `0_2`. `transactions` has the number of slots written by outcome: see TaskReport.
    `late_windows` has the number of closed windows for which records were late, by node: a late record is one of `drops`, however
    many of its windows are closed. `metrics` has what the metrics of processors have counted since the run began, by node, name
    and task. `trace_contexts` has some of those of the records of the last batch, if the run collects them.
    """

    records: int = 0
    dead_letters: int = 0
    drops: Counter[tuple[str, str]] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    batches: int = 0
    skipped: dict[TopicPartition, int] = field(default_factory=dict)
    consumed: Counter[str] = field(default_factory=Counter)
    undecodable: Counter[str] = field(default_factory=Counter)
    processed: Counter[str] = field(default_factory=Counter)
    tasks: dict[str, TaskState] = field(default_factory=dict)
    transactions: Counter[str] = field(default_factory=Counter)
    late_windows: Counter[str] = field(default_factory=Counter)
    metrics: dict[tuple[str, str, str], MetricValue] = field(default_factory=dict)
    trace_contexts: dict[str, None] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read or written."""
        return not (self.records or self.dead_letters or self.drops or self.written or any(self.skipped.values()))

    def since(self, earlier: Self) -> Self:
        """Return the counts that were added since an earlier copy."""
        return replace(
            self,
            records=self.records - earlier.records,
            dead_letters=self.dead_letters - earlier.dead_letters,
            drops=self.drops - earlier.drops,
            written=self.written - earlier.written,
            batches=self.batches - earlier.batches,
            skipped={where: number - earlier.skipped.get(where, 0) for where, number in self.skipped.items()},
            consumed=self.consumed - earlier.consumed,
            undecodable=self.undecodable - earlier.undecodable,
            processed=self.processed - earlier.processed,
            transactions=self.transactions - earlier.transactions,
            late_windows=self.late_windows - earlier.late_windows,
            metrics={place: value for place, value in self.metrics.items() if earlier.metrics.get(place) is not value},
            tasks={task: state for task, state in self.tasks.items() if earlier.tasks.get(task) is not state},
        )

    def begin_batch(self) -> Self:
        """Return a copy, for `since` after the batch that begins."""
        self.trace_contexts = {}
        return self.copy()

    def copy(self) -> Self:
        """Return a copy that does not change."""
        return replace(
            self,
            drops=self.drops.copy(),
            written=self.written.copy(),
            skipped=dict(self.skipped),
            consumed=self.consumed.copy(),
            undecodable=self.undecodable.copy(),
            processed=self.processed.copy(),
            transactions=self.transactions.copy(),
            late_windows=self.late_windows.copy(),
            metrics=dict(self.metrics),
            tasks=dict(self.tasks),
            trace_contexts=dict(self.trace_contexts),
        )

    def add(self, report: TaskReport) -> None:
        """Add the counts of a task in one batch."""
        self.records += report.records
        self.dead_letters += report.dead_letters
        self.drops.update(report.drops)
        self.add_skipped(report.skipped)
        self.consumed.update(report.consumed)
        self.undecodable.update(report.undecodable)
        self.processed.update(report.processed)
        self.transactions.update(report.transactions)
        self.late_windows.update(report.late_windows)
        for (node, name), value in report.metrics.items():
            place = node, name, "" if report.state is None else report.state.task
            before = self.metrics.get(place)
            self.metrics[place] = value if before is None else before.and_then(value)
        for context in report.trace_contexts[: MOST_CONTEXTS - len(self.trace_contexts)]:
            self.trace_contexts[context] = None
        if report.state is not None:
            self.tasks[report.state.task] = report.state

    def include(self, other: Self) -> None:
        """Add the counts of another report."""
        self.records += other.records
        self.dead_letters += other.dead_letters
        self.batches += other.batches
        for own, added in (
            (self.written, other.written),
            (self.consumed, other.consumed),
            (self.undecodable, other.undecodable),
            (self.processed, other.processed),
            (self.transactions, other.transactions),
            (self.late_windows, other.late_windows),
        ):
            own.update(added)
        self.drops.update(other.drops)
        self.metrics.update(other.metrics)
        self.tasks.update(other.tasks)
        self.add_skipped(other.skipped)

    def add_skipped(self, skipped: Mapping[TopicPartition, int]) -> None:
        """Add the numbers of offsets that were skipped, by partition."""
        for partition, number in skipped.items():
            self.skipped[partition] = self.skipped.get(partition, 0) + number


@dataclass(frozen=True)
class Progress:
    """The progress of a run after a batch.

    Args:
        batch: the number of the batch.
        done: the offsets processed since the run began; those of transaction markers and of gaps are among them.
        total: the offsets to process in this run, None if the run has no end.
        seconds: the duration of the batch.
        report: the counts of this batch alone.
        start: the next offset of each partition of the source topics before the batch.
        positions: that after the batch, of the partitions that this process reads.
    """

    batch: int
    done: int
    total: int | None
    seconds: float
    report: RunReport = field(default_factory=RunReport)
    start: Mapping[TopicPartition, int] = field(default_factory=dict)
    positions: Mapping[TopicPartition, int] = field(default_factory=dict)


OnProgress: TypeAlias = Callable[[Progress, RunReport], None]
"""Called after each batch with its progress and the report of the run so far."""
