"""Record queues: the records that wait for a task, one queue for each partition, decoded as they are taken."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter, length_hint
from typing import Any, NamedTuple, Protocol, TypeAlias

from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import EventLog, Headers, LogRecord, TopicPartition
from eddyline.application.runtime.decoding import Decode, UnreadableRecordError
from eddyline.application.runtime.range_reader import AutoOffsetReset, RangeReader

NO_ARRIVAL = -1
"""The arrival number of records from a log that does not number its records over all topics."""


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


incoming_record: Callable[[Iterable[Any]], IncomingRecord] = partial(tuple.__new__, IncomingRecord)
"""Creates an IncomingRecord from its fields in half the time of the class itself."""


DecodeAll: TypeAlias = Callable[[Sequence[LogRecord], Callable[[LogRecord, Exception], None]], list[IncomingRecord]]
"""Decodes records in order. Those that cannot be decoded are passed to the function, with the error, and left out."""


class OffsetRange(NamedTuple):
    """The records of a partition with `start <= offset < end`; `more` if the log holds records from `end` on, or may soon."""

    topic: str
    partition: int
    start: int
    end: int
    more: bool = False


class RecordQueue(Protocol):
    """The waiting records of one partition, in order.

    `head` is the next record, None if the queue is empty. `more` is true if a later batch continues the queue: once
    it is empty, the task must not take records from other queues, since the next record of this one may precede them.
    """

    head: IncomingRecord | None
    more: bool

    def advance(self) -> None:
        """Remove the head."""


_offset: Callable[[LogRecord], int] = attrgetter("offset")


class LogQueue:
    """The records of an offset range, read from the log as they are needed.

    Records that cannot be decoded are skipped and passed to `on_undecodable`, with the error. Records that the log has lost
    since the range was planned are an error, unless `reset` accepts it.
    """

    def __init__(
        self,
        log: EventLog,
        offsets: OffsetRange,
        decode: Decode,
        on_undecodable: Callable[[LogRecord, Exception], None],
        reset: AutoOffsetReset = "none",
    ) -> None:
        self.offsets = offsets
        self.more = offsets.more
        self.head: IncomingRecord | None = None
        self._decode, self._on_undecodable = decode, on_undecodable
        topic, partition, start, end, _ = offsets
        self._reader = RangeReader(log, TopicPartition(topic, partition), reset)
        self._read = self._undecodable = 0
        self._batch: Sequence[LogRecord] = ()
        self._batches = self._reader.read(start, end)
        self._records = self._decoded(self._batches)
        self.advance()

    @property
    def position(self) -> int:
        """The offset of the head, or the end of the range if the queue is empty."""
        return self.offsets.end if self.head is None else self.head.offset

    @property
    def taken(self) -> int:
        """The number of records that were taken from the queue."""
        head = self.head
        waiting = 0 if head is None else sum(record.offset >= head.offset for record in self._batch)
        return self._read - self._undecodable - waiting

    @property
    def skipped(self) -> int:
        """The number of offsets that the log has lost and that were skipped."""
        return self._reader.skipped

    def advance(self) -> None:
        """Remove the head and decode the next record."""
        self.head = next(self._records, None)

    def take_all(self, decode_all: DecodeAll, size: int) -> Iterator[list[IncomingRecord]]:
        """Remove all records, in lists of at least one, made of at most `size` records of the log.

        For a task that takes records from no other queue: they are decoded before they are known to be taken.
        """
        taken: list[IncomingRecord] = []
        batch, head = self._batch, self.head
        at = len(batch)
        if head is not None:
            taken.append(head)
            at = bisect_right(batch, head.offset, key=_offset)
            self.head = None
        while True:
            while at < len(batch):
                end = at + size - len(taken)
                taken += decode_all(batch[at:end], self._refuse)
                at = end
                if taken:
                    yield taken
                    taken = []
            next_batch = next(self._batches, None)
            if next_batch is None:
                break
            batch, at = next_batch, 0
            self._batch = batch
            self._read += len(batch)
        if taken:
            yield taken

    def _refuse(self, record: LogRecord, error: Exception) -> None:
        self._undecodable += 1
        self._on_undecodable(record, error)

    def _decoded(self, batches: Iterable[Sequence[LogRecord]]) -> Iterator[IncomingRecord]:
        decode = self._decode
        for batch in batches:
            self._batch = batch
            self._read += len(batch)
            for record in batch:
                try:
                    key, value, headers = decode(record)
                except (CodecError, UnreadableRecordError) as error:
                    self._refuse(record, error)
                else:
                    topic, partition, offset, timestamp, _, _, _, arrival, _ = record
                    sequence = NO_ARRIVAL if arrival is None else arrival
                    yield incoming_record((topic, partition, offset, timestamp, key, value, headers, sequence))


class BufferedQueue:
    """The records that one task sent through a repartition topic, in the order of sending."""

    more = False

    def __init__(self, records: Sequence[IncomingRecord]) -> None:
        self._records = iter(records)
        self.head: IncomingRecord | None = None
        self.advance()

    def advance(self) -> None:
        """Remove the head."""
        self.head = next(self._records, None)

    @property
    def size(self) -> int:
        """The number of waiting records, including the head."""
        return 0 if self.head is None else 1 + length_hint(self._records)
