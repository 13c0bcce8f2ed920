"""Record queues: the records that wait for a task, one queue for each partition, decoded as they are needed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from eddyline.application.ports.event_log import EventLog, Headers, LogRecord, TopicPartition
from eddyline.application.runtime.input.interruption import ONE, ChunkSize
from eddyline.application.runtime.input.range_reader import RangeReader
from eddyline.application.runtime.plan.options import AutoOffsetReset

NO_ARRIVAL = -1
"""The arrival number of records from a log that does not number its records over all topics."""

_BUFFERED: Final = ChunkSize(limit=256)

_T = TypeVar("_T")


class IncomingRecord(NamedTuple):
    """A decoded record that waits for a task; `timestamp` is that of the log, in ms since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: Any
    value: Any
    headers: Headers
    arrival: int


timestamp_of: Callable[[IncomingRecord], int] = attrgetter("timestamp")
"""Returns the timestamp of a record."""

incoming_record: Callable[[Iterable[Any]], IncomingRecord] = partial(tuple.__new__, IncomingRecord)
"""Creates an IncomingRecord from its fields in half the time of the class itself."""


DecodeAll: TypeAlias = Callable[[Sequence[LogRecord], Callable[[LogRecord, Exception], None]], Sequence[IncomingRecord]]
"""Decodes records of a partition in order. Those that cannot be decoded are passed to the function, with the error."""


def chunks_of(batches: Iterable[Sequence[_T]], size: ChunkSize) -> Iterator[Sequence[_T]]:
    """Yield the records of batches in chunks of at most as many as the size says then."""
    for batch in batches:
        start, count = 0, len(batch)
        while start < count:
            end = start + size.limit
            yield batch[start:end]
            start = end


class OffsetRange(NamedTuple):
    """The records of a partition with `start <= offset < end`; `more` if the log holds records from `end` on, or may soon."""

    topic: str
    partition: int
    start: int
    end: int
    more: bool = False


class RecordQueue:
    """The waiting records of one partition, in order.

    `more` is true if a later batch continues the queue: once it is empty, the task must not take records from other queues,
    since the next record of this one may precede them.

    Args:
        chunks: the records, decoded when they are requested, at least one in each.
        more: whether a later batch continues the queue.

    Attributes:
        records: the last chunk, of which the records from `at` on wait; they are requested before they are known to be taken.
        at: the number of records of the chunk that were taken.
        taken: the number of records that were taken from the queue.
    """

    def __init__(self, chunks: Iterator[Sequence[IncomingRecord]], *, more: bool = False) -> None:
        self.more = more
        self._chunks = chunks
        self.at = self.taken = 0
        self.records: Sequence[IncomingRecord] = next(chunks, ())

    @property
    def head(self) -> IncomingRecord | None:
        """The next record, None if the queue is empty."""
        return self.records[self.at] if self.records else None

    def has_yielded(self, record: IncomingRecord) -> bool:
        """Return whether a record that was taken from one of several queues was taken from this one."""
        raise NotImplementedError

    def give_back(self, record: IncomingRecord) -> None:
        """Note that a record was taken in vain; those that were taken after it follow. Nothing is taken any more."""
        del record
        self.taken -= 1

    def advance(self) -> None:
        """Remove the head."""
        if self.records:
            self.take(1)

    def take(self, count: int) -> Sequence[IncomingRecord]:
        """Remove and return some of the records that wait in the chunk; request the next chunk if none is left."""
        begin, self.at = self.at, self.at + count
        self.taken += count
        records = self.records
        if self.at < len(records):
            return records[begin : self.at]
        self._next_chunk()
        return records[begin:] if begin else records

    def _next_chunk(self) -> None:
        self.records, self.at = next(self._chunks, ()), 0


class LogQueue(RecordQueue):
    """The records of an offset range, read from the log as they are needed.

    Records that cannot be decoded are skipped. Once the records before them are processed, which is when more are taken, they are
    passed to `on_undecodable`, with the error. Records that the log has lost since the range was planned are an error, unless
    `reset` accepts it.

    Args:
        log: the log.
        offsets: the range.
        decode_all: decodes records of its topic.
        on_undecodable: receives records that cannot be decoded.
        reset: where to continue if the log has lost records.
        size: how many records are decoded at once.
    """

    def __init__(
        self,
        log: EventLog,
        offsets: OffsetRange,
        decode_all: DecodeAll,
        on_undecodable: Callable[[LogRecord, Exception], None],
        reset: AutoOffsetReset = "none",
        size: ChunkSize = ONE,
    ) -> None:
        self.offsets = offsets
        self._decode_all, self._on_undecodable, self._size = decode_all, on_undecodable, size
        self._undecodable: list[tuple[LogRecord, Exception]] = []
        self._given_back: int | None = None
        topic, partition, start, end, more = offsets
        self._reader = RangeReader(log, TopicPartition(topic, partition), reset)
        super().__init__(self._decoded(self._reader.read(start, end)), more=more)
        self.report_undecodable()

    @property
    def position(self) -> int:
        """The offset of the head, or the end of the range if the queue is empty; where it was given back, if it was."""
        if self._given_back is not None:
            return self._given_back
        head = self.head
        return self.offsets.end if head is None else head.offset

    @property
    def skipped(self) -> int:
        """The number of offsets that the log has lost and that were skipped."""
        return self._reader.skipped

    def take(self, count: int) -> Sequence[IncomingRecord]:
        """Remove records as any queue does, and report those before the head until now that cannot be decoded."""
        if self._undecodable:
            self.report_undecodable()
        return super().take(count)

    def has_yielded(self, record: IncomingRecord) -> bool:
        """Return whether it is one of the partition."""
        return record.partition == self.offsets.partition and record.topic == self.offsets.topic

    def give_back(self, record: IncomingRecord) -> None:
        """Continue at the first record that was given back."""
        super().give_back(record)
        self._given_back = record.offset if self._given_back is None else min(record.offset, self._given_back)

    def report_undecodable(self) -> None:
        """Report the records before the head that cannot be decoded."""
        position, found = self.position, self._undecodable
        self._undecodable = [refused for refused in found if refused[0].offset >= position]
        for record, error in found[: len(found) - len(self._undecodable)]:
            self._on_undecodable(record, error)

    def _refuse(self, record: LogRecord, error: Exception) -> None:
        self._undecodable.append((record, error))

    def _decoded(self, batches: Iterable[Sequence[LogRecord]]) -> Iterator[Sequence[IncomingRecord]]:
        decode_all, refuse = self._decode_all, self._refuse
        for read in chunks_of(batches, self._size):
            chunk = decode_all(read, refuse)
            if chunk:
                yield chunk


class BufferedQueue(RecordQueue):
    """The records that one task sent through a repartition topic, in the order of sending."""

    def __init__(self, records: Sequence[IncomingRecord], size: ChunkSize = _BUFFERED) -> None:
        self._count = len(records)
        self._first = records[0] if records else None
        super().__init__(chunks_of((records,), size))

    def has_yielded(self, record: IncomingRecord) -> bool:
        """Return whether it has one of the numbers of the records."""
        first = self._first
        return first is not None and record.topic == first.topic and 0 <= record.offset - first.offset < self._count

    @property
    def size(self) -> int:
        """The number of waiting records, including the head."""
        return self._count - self.taken
