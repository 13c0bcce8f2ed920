"""The input of a task in a batch."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.event_sink import Results
from eddyline.application.ports.log_columns import LogColumns
from eddyline.application.runtime.input.record_queue import OffsetRange


class TaskIdling:
    """Decides, batch after batch, which empty partitions a task waits for, as PartitionGroup of Kafka Streams (KIP-695).

    Once all records of a partition are processed, the task waits `max_idle_ms` of wall-clock time for more, and then processes
    the records of the other partitions until the partition has records again.
    """

    def __init__(self, max_idle_ms: int) -> None:
        self._max_idle = max_idle_ms
        self._deadlines: dict[TopicPartition, int] = {}

    def with_waits(self, ranges: Sequence[OffsetRange], now_ms: int) -> list[OffsetRange]:
        """Return the offset ranges of a batch, with `more` for the partitions that the task waits for when they are empty."""
        return [offsets._replace(more=self._waits_for(offsets, now_ms)) for offsets in ranges]

    def _waits_for(self, offsets: OffsetRange, now_ms: int) -> bool:
        partition = TopicPartition(offsets.topic, offsets.partition)
        if offsets.more or offsets.start < offsets.end:
            self._deadlines.pop(partition, None)
            return True
        return now_ms < self._deadlines.setdefault(partition, now_ms + self._max_idle)


@dataclass
class TaskInput:
    """The input of a task in a batch: offset ranges to read, and the records of repartition topics in parts, by topic and sender.

    The offsets of repartitioned records are ignored. `partial` if the log holds records that follow those of the batch by
    arrival. With `commit=False` the task keeps the latest updates that its tables have cached to a later batch.
    """

    offsets: list[OffsetRange] = field(default_factory=list)
    repartitioned: dict[tuple[str, int], list[Sequence[LogRecord]]] = field(default_factory=dict)
    partial: bool = False
    commit: bool = True

    def receive(self, record: LogRecord, sender: int) -> None:
        """Add a record of a repartition topic after those of the same sender."""
        parts = self.repartitioned.setdefault((record.topic, sender), [])
        if not parts or not isinstance(parts[-1], list):
            parts.append([])
        parts[-1].append(record)  # type: ignore[attr-defined] # it is a list

    def receive_all(self, records: Results, partition: int, sender: int) -> None:
        """Add many records of a partition of a repartition topic likewise."""
        topic, keys, values, timestamps, headers, _ = records
        columns = LogColumns(topic, partition, range(len(keys)), timestamps, keys, values, headers)
        self.repartitioned.setdefault((topic, sender), []).append(columns)
