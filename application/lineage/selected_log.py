"""A log that has only some records of another one, at their offsets."""

# ruff: noqa: D102 - the methods of a log are described by its port

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, cast

from eddyline.application.ports.event_log import EventLog, LogIdentity, LogRecord, Position, TopicPartition

T = TypeVar("T")

_LONGEST_GAP = 500
"""The number of offsets between two records up to which both are read at once."""


class SelectedLog(EventLog):
    """Some records of a log; everything else is as in the log.

    Args:
        log: The log.
        records: The records by position.
    """

    def __init__(self, log: EventLog, records: Iterable[LogRecord]) -> None:
        self._log = log
        self._records: dict[TopicPartition, list[LogRecord]] = {}
        for record in sorted(records, key=lambda record: record[:3]):
            self._records.setdefault(TopicPartition(record.topic, record.partition), []).append(record)
        self._known: dict[Any, Any] = {}

    def topics(self) -> Sequence[str]:
        return self._cached("topics", self._log.topics)

    def partitions(self, topic: str) -> int:
        return self._cached(("partitions", topic), lambda: self._log.partitions(topic))

    def beginning_offset(self, topic: str, partition: int) -> int:
        return self.bounds(topic, partition)[0]

    def end_offset(self, topic: str, partition: int) -> int:
        return self.bounds(topic, partition)[1]

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return self._cached(("bounds", topic, partition), lambda: self._log.bounds(topic, partition))

    def identity(self, topics: Iterable[str]) -> LogIdentity:
        return self._log.identity(topics)

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        records = self._records.get(TopicPartition(topic, partition), [])
        first, last = (bisect_left(records, offset, key=lambda record: record.offset) for offset in (start, end))
        return iter((records[first:last],) if first < last else ())

    def _cached(self, name: object, call: Callable[[], T]) -> T:
        if name not in self._known:
            self._known[name] = call()
        return cast("T", self._known[name])

    def with_records(self, records: Iterable[LogRecord]) -> "SelectedLog":
        """Return a log with other records; what is known of the log is kept."""
        made = SelectedLog(self._log, records)
        made._known = self._known
        return made


def read_records(log: EventLog, positions: Iterable[Position]) -> dict[Position, LogRecord]:
    """Return the records at these positions that the log still has."""
    found: dict[Position, LogRecord] = {}
    wanted = set(positions)
    for topic, partition, start, end in _ranges(sorted(wanted)):
        for batch in log.read(topic, partition, start, end):
            for record in batch:
                position = Position(*record[:3])
                if position in wanted:
                    found[position] = record
    return found


def _ranges(positions: Sequence[Position]) -> Iterator[tuple[str, int, int, int]]:
    """Yield topic, partition, first and last offset of positions that are close to each other."""
    begin: Position | None = None
    last: Position | None = None
    for position in positions:
        if begin is None or last is None or position[:2] != last[:2] or position.offset - last.offset > _LONGEST_GAP:
            if begin is not None and last is not None:
                yield begin.topic, begin.partition, begin.offset, last.offset + 1
            begin = position
        last = position
    if begin is not None and last is not None:
        yield begin.topic, begin.partition, begin.offset, last.offset + 1
