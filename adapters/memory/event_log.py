"""The event log in memory: for tests, and for runs whose input is made on the spot."""

from collections.abc import Iterator, Sequence

from eddyline.application.ports.event_log import EventLog, Headers, LogRecord, OffsetOutOfRangeError, UnknownTopicError

_BATCH = 10_000


class MemoryEventLog(EventLog):
    """Topics in lists; offsets are places in them, from 0 on. `append`, `create_topic` and sinks fill it.

    `written` holds the last batch of each writer's slot, for the sinks.
    """

    def __init__(self) -> None:
        self._topics: dict[str, list[list[LogRecord]]] = {}
        self.written: dict[tuple[str, int], int] = {}

    def create_topic(self, topic: str, partitions: int) -> None:
        """Makes the topic if it does not exist; an existing one stays as it is. Raises ValueError for less than one partition."""
        if partitions < 1:
            raise ValueError(f"topic '{topic}' cannot have {partitions} partitions; it needs 1 or more")
        self._topics.setdefault(topic, [[] for _ in range(partitions)])

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
        """Puts a record at the end of a partition and gives its offset; `timestamp` is in milliseconds since the epoch."""
        records = self._records(topic, partition)
        offset = len(records)
        records.append(LogRecord(topic, partition, offset, timestamp, key, value, headers, arrival, error))
        return offset

    def empty(self, topic: str) -> None:
        """Takes all records out of a topic; its offsets begin at 0 again."""
        for records in self._topic(topic):
            records.clear()

    def topics(self) -> Sequence[str]:
        return sorted(self._topics)

    def partitions(self, topic: str) -> int:
        return len(self._topic(topic))

    def beginning_offset(self, topic: str, partition: int) -> int:
        self._records(topic, partition)
        return 0

    def end_offset(self, topic: str, partition: int) -> int:
        return len(self._records(topic, partition))

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        records = self._records(topic, partition)
        if not 0 <= start <= len(records) or end > len(records):
            raise OffsetOutOfRangeError(
                f"topic '{topic}', partition {partition}: offsets {start} to {end} were asked for, "
                f"but the log has 0 to {len(records)}"
            )
        return (records[first : min(first + _BATCH, end)] for first in range(start, end, _BATCH))

    def _topic(self, topic: str) -> list[list[LogRecord]]:
        try:
            return self._topics[topic]
        except KeyError:
            known = ", ".join(self.topics()) or "none yet"
            raise UnknownTopicError(f"topic '{topic}' is unknown; the log has: {known}; make it with create_topic") from None

    def _records(self, topic: str, partition: int) -> list[LogRecord]:
        partitions = self._topic(topic)
        if not 0 <= partition < len(partitions):
            raise UnknownTopicError(f"topic '{topic}' has no partition {partition}; it has 0 to {len(partitions) - 1}")
        return partitions[partition]
