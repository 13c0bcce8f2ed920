"""The queues of records that wait for a task in a batch, and the order in which it takes them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import heapify, heappop, heapreplace
from typing import Any, NamedTuple, Protocol

from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import EventLog, Headers, LogRecord
from eddyline.application.runtime.decoding import Decode, UnreadableRecordError


class Incoming(NamedTuple):
    """A decoded record on its way into a task."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: Any
    value: Any
    headers: Headers
    arrival: int


_incoming_of: Callable[[Iterable[Any]], Incoming] = partial(tuple.__new__, Incoming)  # the class itself takes twice as long


class Range(NamedTuple):
    """The offsets `start` to `end` of a partition; `more` when the log already has records behind `end`."""

    topic: str
    partition: int
    start: int
    end: int
    more: bool


BadRecord = Callable[[LogRecord, Exception], None]


class Queue(Protocol):
    """Records in order; `head` is the next one, None at the end. A queue with `more` goes on in a later batch."""

    head: Incoming | None
    more: bool

    def advance(self) -> None:
        """Lets go of the head and finds the next one."""


class SourceQueue:
    """Reads a range of the log, record by record; what cannot be decoded is handed to `on_bad` and left out."""

    def __init__(self, log: EventLog, found: Range, decode: Decode, on_bad: BadRecord) -> None:
        self.range = found
        self.more = found.more
        self.head: Incoming | None = None
        self._decode, self._on_bad = decode, on_bad
        batches = log.read(found.topic, found.partition, found.start, found.end) if found.start < found.end else iter(())
        self._incoming = self._decoded(batches)
        self.advance()

    @property
    def position(self) -> int:
        """The offset of the first record that was not taken."""
        return self.range.end if self.head is None else self.head.offset

    def advance(self) -> None:
        """Lets go of the head and decodes the next record."""
        self.head = next(self._incoming, None)

    def _decoded(self, batches: Iterable[Sequence[LogRecord]]) -> Iterator[Incoming]:
        decode = self._decode
        for batch in batches:
            for record in batch:
                try:
                    key, value, headers = decode(record)
                except (CodecError, UnreadableRecordError) as error:
                    self._on_bad(record, error)
                else:
                    topic, partition, offset, timestamp, _, _, _, arrival, _ = record
                    place = -1 if arrival is None else arrival
                    yield _incoming_of((topic, partition, offset, timestamp, key, value, headers, place))


class ListQueue:
    """Records that came through a repartition, already in order."""

    more = False

    def __init__(self, records: Sequence[Incoming]) -> None:
        self.size = len(records)
        self._records = iter(records)
        self.head: Incoming | None = None
        self.advance()

    def advance(self) -> None:
        """Lets go of the head."""
        self.head = next(self._records, None)


def in_order(queues: Sequence[Queue], order_of: Callable[[Incoming], int]) -> Iterator[Incoming]:
    """Always the record whose head comes first; among equal ones that of the earlier queue.

    Stops when a queue is at its end that has more to come, since its next record might come before all others.
    """
    if len(queues) == 1:
        (queue,) = queues
        while (taken := queue.head) is not None:
            queue.advance()
            yield taken
        return
    heads = []
    for index, queue in enumerate(queues):
        if queue.head is not None:
            heads.append((order_of(queue.head), index))
        elif queue.more:
            return
    heapify(heads)
    while heads:
        index = heads[0][1]
        queue = queues[index]
        taken = queue.head
        if taken is None:
            return
        queue.advance()
        yield taken
        head = queue.head
        if head is not None:
            heapreplace(heads, (order_of(head), index))
        elif queue.more:
            return
        else:
            heappop(heads)
