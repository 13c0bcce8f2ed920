"""How long a task waits for records of empty partitions before it processes those of others (`max.task.idle.ms`)."""

from collections.abc import Sequence

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.record_queue import OffsetRange


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
