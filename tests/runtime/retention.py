"""A log in memory that loses records, as Kafka does by retention and files do when they are emptied."""

from collections.abc import Callable, Iterator, Sequence

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import LogRecord, OffsetOutOfRangeError


class RetentionLog(MemoryEventLog):
    """Reads two records at a time, and calls `after_batch` after each of these batches."""

    def __init__(self) -> None:
        super().__init__()
        self._beginnings: dict[tuple[str, int], int] = {}
        self.after_batch: Callable[[], None] = lambda: None

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        """Delete the records below an offset."""
        self._beginnings[topic, partition] = before

    def truncate(self, topic: str, partition: int, end: int) -> None:
        """Delete the records from an offset on."""
        del self._records(topic, partition)[end:]

    def beginning_offset(self, topic: str, partition: int) -> int:
        return self._beginnings.get((topic, partition), super().beginning_offset(topic, partition))

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        self._check(topic, partition, start, end)
        return self._pairs(topic, partition, start, end)

    def _pairs(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        for first in range(start, end, 2):
            self._check(topic, partition, first, end)
            yield self._records(topic, partition)[first : min(first + 2, end)]
            self.after_batch()

    def _check(self, topic: str, partition: int, start: int, end: int) -> None:
        beginning, last = self.bounds(topic, partition)
        if start < beginning or end > last:
            raise OffsetOutOfRangeError(f"{start} to {end} were requested, but the log has {beginning} to {last}")


def log_of(*counts: int) -> RetentionLog:
    """Return a log whose topic `t` has as many records in each partition; the value is the offset."""
    log = RetentionLog()
    log.create_topic("t", len(counts))
    for partition, count in enumerate(counts):
        for number in range(count):
            log.append("t", b"k", b"%d" % number, number, partition=partition)
    return log
