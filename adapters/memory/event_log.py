"""An event log in memory, for tests and for runs whose input is generated on the fly."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import uuid4

from eddyline.application.ports.event_log import (
    EventLog,
    Headers,
    LogIdentity,
    LogRecord,
    OffsetOutOfRangeError,
    UnknownTopicError,
)

_BATCH = 10_000


class MemoryEventLog(EventLog):
    """Topics as lists of records; an offset is an index into the list. Filled by `append` and by MemoryEventSink.

    Attributes:
        last_batches: The number of the last batch by writer and slot, kept for the sinks.
        groups: The consumer groups by name, kept for the consumers.
    """

    def __init__(self) -> None:
        self._topics: dict[str, list[list[LogRecord]]] = {}
        self.last_batches: dict[tuple[str, int], int] = {}
        self.groups: dict[str, Any] = {}
        self._id = uuid4().hex
        self._topic_ids: dict[str, str] = {}

    def create_topic(self, topic: str, partitions: int) -> None:
        """Create a topic; do nothing if it exists. Raises ValueError if `partitions` is less than 1."""
        if partitions < 1:
            raise ValueError(f"topic '{topic}' cannot have {partitions} partitions; it needs 1 or more")
        if topic not in self._topics:
            self._topic_ids[topic] = uuid4().hex
            self._topics[topic] = [[] for _ in range(partitions)]

    def delete_topic(self, topic: str) -> None:
        """Delete a topic with its records. Raises UnknownTopicError."""
        self._topic(topic)
        del self._topics[topic], self._topic_ids[topic]

    def add_partitions(self, topic: str, partitions: int) -> None:
        """Add empty partitions to a topic until it has this many. Raises UnknownTopicError."""
        existing = self._topic(topic)
        existing.extend([] for _ in range(len(existing), partitions))

    def append(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers = (),
        *,
        partition: int = 0,
        arrival: int | None = None,
        error: str | None = None,
    ) -> int:
        """Append a record to a partition and return its offset; `timestamp` is in milliseconds since the epoch."""
        records = self._records(topic, partition)
        offset = len(records)
        records.append(LogRecord(topic, partition, offset, timestamp, key, value, headers, arrival, error))
        return offset

    def clear(self, topic: str) -> None:
        """Remove all records of a topic; its offsets start at 0 again."""
        for records in self._topic(topic):
            records.clear()
        self._topic_ids[topic] = uuid4().hex

    def topics(self) -> Sequence[str]:
        return sorted(self._topics)

    def partitions(self, topic: str) -> int:
        return len(self._topic(topic))

    def beginning_offset(self, topic: str, partition: int) -> int:
        self._records(topic, partition)
        return 0

    def end_offset(self, topic: str, partition: int) -> int:
        return len(self._records(topic, partition))

    def identity(self, topics: Iterable[str]) -> LogIdentity:
        names = list(topics)
        for topic in names:
            self._topic(topic)
        return LogIdentity("memory", self._id, {topic: self._topic_ids[topic] for topic in names})

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        records = self._records(topic, partition)
        if not 0 <= start <= len(records) or end > len(records):
            raise OffsetOutOfRangeError(
                f"topic '{topic}', partition {partition}: offsets {start} to {end} were requested, "
                f"but the log has 0 to {len(records)}"
            )
        return (records[first : min(first + _BATCH, end)] for first in range(start, end, _BATCH))

    def _topic(self, topic: str) -> list[list[LogRecord]]:
        try:
            return self._topics[topic]
        except KeyError:
            known = ", ".join(self.topics()) or "no topics"
            raise UnknownTopicError(f"topic '{topic}' is unknown; the log has: {known}; create it with create_topic") from None

    def _records(self, topic: str, partition: int) -> list[LogRecord]:
        partitions = self._topic(topic)
        if not 0 <= partition < len(partitions):
            raise UnknownTopicError(f"topic '{topic}' has no partition {partition}; it has 0 to {len(partitions) - 1}")
        return partitions[partition]
