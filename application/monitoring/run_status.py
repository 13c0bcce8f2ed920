"""The status of a run: what a page, a command and a metrics endpoint show of it. All times are ms since the epoch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.plan.options import RecordingLevel
from eddyline.application.topology.metrics import MetricValue

_UNHEALTHY_FAILURES: Final = 3
"""How often a run fails in a row until it is unhealthy."""
STABLE_S: Final = 60.0
"""After how long without a failure, in seconds, the next one is the first in a row, even if there was nothing to process."""


class RunState(StrEnum):
    """The states of a run, as far as it has those of `KafkaStreams.State`; one that has failed in a service is restarting."""

    CREATED = "created"
    RUNNING = "running"
    RESTARTING = "restarting"
    PENDING_SHUTDOWN = "pending-shutdown"
    NOT_RUNNING = "not-running"
    ERROR = "error"


@dataclass(frozen=True)
class Totals:
    """The counts of a run since it started.

    Attributes:
        batches: Batches.
        records_in: Records processed by source topic; each task that loads a global table counts its records.
        records_out: Records written by topic, dead letters included.
        undecodable: Records that could not be decoded by source topic.
        dropped: Dropped records by node and reason, those that could not be decoded included.
        handled_exceptions: Exceptions after which the run went on, by node.
        late: Late records, however many of their windows are closed.
        late_windows: Closed windows for which records were late, as `dropped-records-total` of Kafka Streams counts them.
        dead_letters: Dead letters.
        skipped: Offsets that the log has lost, by partition.
        transactions: Writes to the event sink by outcome: `committed`, `repeated` if they had been written before, and failed
            attempts by cause, `fenced` or `retried`.
    """

    batches: int
    records_in: Mapping[str, int]
    records_out: Mapping[str, int]
    undecodable: Mapping[str, int]
    dropped: Mapping[tuple[str, str], int]
    handled_exceptions: Mapping[str, int]
    late: int
    late_windows: int
    dead_letters: int
    skipped: Mapping[TopicPartition, int]
    transactions: Mapping[str, int]


@dataclass(frozen=True)
class NodeStatus:
    """A node of the topology.

    Attributes:
        name: The name.
        kind: The kind of operator, such as `window-aggregate`.
        parents: The names of its parents.
        sub_topology: The index of its sub-topology, None for the nodes of global tables.
        processed: Records that it has processed. None if they are not counted: at the recording level `info`, those of sources
            alone are.
        dropped: Records that it has dropped, by reason.
    """

    name: str
    kind: str
    parents: tuple[str, ...]
    sub_topology: int | None
    processed: int | None
    dropped: Mapping[str, int]


@dataclass(frozen=True)
class TaskStatus:
    """A task after its last batch.

    Attributes:
        task: The index of the sub-topology and the partition, such as `0_2`.
        sub_topology: The index of the sub-topology.
        partition: The partition.
        stream_time: The stream time, None before the first record.
        entries: The entries of its stores, None if they are not counted.
        size_bytes: The size of the stored state, None if it is not known.
        time: The wall-clock time at which this was reported.
    """

    task: str
    sub_topology: int
    partition: int
    stream_time: int | None
    entries: int | None
    size_bytes: int | None
    time: int


@dataclass(frozen=True)
class PartitionStatus:
    """The position of the run in a partition of a source topic.

    Attributes:
        topic: The topic.
        partition: The partition.
        offset: The next offset to read.
        end: The end offset of the log, None if the log does not answer.
        last_advanced: The wall-clock time at which the position was seen to advance, None if it has not since the run started.
    """

    topic: str
    partition: int
    offset: int
    end: int | None
    last_advanced: int | None

    @property
    def lag(self) -> int | None:
        """The number of offsets after the position."""
        return None if self.end is None else max(0, self.end - self.offset)


@dataclass(frozen=True)
class BatchStatus:
    """A batch.

    Attributes:
        batch: Its number.
        time: The wall-clock time at which its end was reported.
        seconds: Its duration.
        records: Records processed.
        written: Records written, dead letters included.
        dropped: Dropped records, those that could not be decoded included.
        lag: Records in the source topics after it, None if the log did not answer.
        stream_time: The greatest stream time of the tasks, None before the first record.
        state_entries: The entries of all stores, None if they are not counted.
        state_bytes: The size of the stored state, None if it is not known.
    """

    batch: int
    time: int
    seconds: float
    records: int
    written: int
    dropped: int
    lag: int | None
    stream_time: int | None
    state_entries: int | None
    state_bytes: int | None


@dataclass(frozen=True)
class BatchSeconds:
    """The durations of all batches as a cumulative histogram.

    Attributes:
        buckets: Pairs of an upper bound in seconds and the number of batches that took no longer.
        count: The number of batches.
        total: The sum of their durations in seconds.
    """

    buckets: Sequence[tuple[float, int]]
    count: int
    total: float


@dataclass(frozen=True)
class RunStatus:
    """The status of a run at one moment.

    Attributes:
        application_id: The application.
        flow: The name of the flow.
        engine: The name of the engine.
        state: The state of the run.
        failure: Why the run has failed, None if it has not.
        failures: How often it has failed one time after the other, without a record processed in between.
        restarts: How often it was restarted.
        restart_at: When it is restarted next, None if it is not waiting for that.
        not_reloaded: Why it runs with older code than its files have, None if it does not.
        recording_level: What is counted; see `NodeStatus.processed`.
        started: When the run started.
        time: When this status was taken.
        totals: The counts since the start.
        nodes: The nodes of the topology, parents before children.
        tasks: The tasks that have processed a batch, by sub-topology and partition.
        partitions: The positions in the source topics, after the first batch.
        metrics: What the metrics of processors have counted since the start, by node, name and task.
        history: The last batches, the oldest first.
        batch_seconds: The durations of all batches.
        records_per_second: Records processed per second over the last 30 seconds, or since the start if that is less.
        written_per_second: Records written per second, likewise.
    """

    application_id: str
    flow: str
    engine: str
    state: RunState
    failure: str | None
    failures: int
    restarts: int
    restart_at: int | None
    not_reloaded: str | None
    recording_level: RecordingLevel
    started: int
    time: int
    totals: Totals
    nodes: Sequence[NodeStatus]
    tasks: Sequence[TaskStatus]
    partitions: Sequence[PartitionStatus]
    metrics: Mapping[tuple[str, str, str], MetricValue]
    history: Sequence[BatchStatus]
    batch_seconds: BatchSeconds
    records_per_second: float
    written_per_second: float

    @property
    def problem(self) -> str | None:
        """What is wrong with the run, None if nothing is, such as `restarting (3rd time, next in 8 s): cannot connect`."""
        if self.failure is None:
            return self.not_reloaded
        if self.restart_at is None:
            return self.failure
        seconds = max(0, -(-(self.restart_at - self.time) // 1_000))
        return f"restarting ({ordinal(self.failures)} time, next in {seconds} s): {self.failure}"

    @property
    def is_healthy(self) -> bool:
        """Whether the run works, or has failed only a few times in a row and is restarting."""
        return self.state is not RunState.ERROR and self.failures < _UNHEALTHY_FAILURES

    @property
    def lag(self) -> int | None:
        """The number of records in the source topics after the positions; None if it is not known."""
        return sum_of(found.lag for found in self.partitions) if self.partitions else None

    @property
    def stream_time(self) -> int | None:
        """The greatest stream time of the tasks, None before the first record."""
        return max((task.stream_time for task in self.tasks if task.stream_time is not None), default=None)

    @property
    def state_entries(self) -> int | None:
        """The entries of all stores, None if they are not counted."""
        return sum_of(task.entries for task in self.tasks) if self.tasks else None

    @property
    def state_bytes(self) -> int | None:
        """The size of the stored state, None if it is not known."""
        return sum_of(task.size_bytes for task in self.tasks) if self.tasks else None


def ordinal(number: int) -> str:
    """Return a number as `1st`, `2nd`, `3rd` or `4th`."""
    if number % 10 in (1, 2, 3) and number % 100 not in (11, 12, 13):
        return f"{number}{('st', 'nd', 'rd')[number % 10 - 1]}"  # codespell:ignore nd
    return f"{number}th"


def sum_of(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of the numbers that are known, None if none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
