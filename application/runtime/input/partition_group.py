"""The partition group of a task: takes records from its queues in order."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import accumulate, chain

from eddyline.application.runtime.input.incoming_columns import IncomingColumns, MergedColumns, orders_of
from eddyline.application.runtime.input.record_queue import IncomingRecord, RecordQueue


def chunks_in_order(
    queues: Sequence[RecordQueue], order_of: Callable[[IncomingRecord], int]
) -> Iterator[Sequence[IncomingRecord]]:
    """Yield the records of all queues in the order of `in_order`, many at once.

    They are taken up to the first record after which one of the queues has to request its next chunk.
    """
    if len(queues) == 1:
        (queue,) = queues
        while queue.records:
            yield queue.take(len(queue.records) - queue.at)
        return
    chunks = [_OrderedChunk(queue, order_of) for queue in queues]
    while not any(queue.more and not queue.records for queue in queues):
        waiting = [chunk for chunk in chunks if chunk.has_waiting()]
        if not waiting:
            return
        yield _merged(waiting)


class _OrderedChunk:
    """The chunk of a queue, with what its records are ordered by.

    A record that is ordered before its predecessor is taken at once after it, as if it had the same order.
    """

    def __init__(self, queue: RecordQueue, order_of: Callable[[IncomingRecord], int]) -> None:
        self.queue, self._order_of = queue, order_of
        self.orders: list[int] = []
        self._records: Sequence[IncomingRecord] = ()

    def has_waiting(self) -> bool:
        """Return whether the queue has records, and follow it to its next chunk."""
        records = self.queue.records
        if records is not self._records:
            orders, before = list(orders_of(records, self._order_of)), self.orders[-1:]
            if before > orders[:1] or orders != sorted(orders):
                orders = list(accumulate(orders, max, initial=before[0] if before else None))[-len(orders) :]
            self.orders, self._records = orders, records
        return bool(records)


def _merged(waiting: Sequence[_OrderedChunk]) -> Sequence[IncomingRecord]:
    """Take the records that precede all that are not decoded yet, in order: of equal ones, those of the first queue."""
    last, of = min((chunk.orders[-1], index) for index, chunk in enumerate(waiting))
    taken: list[Sequence[IncomingRecord]] = []
    orders: list[int] = []
    for index, chunk in enumerate(waiting):
        at = chunk.queue.at
        end = (bisect_right if index <= of else bisect_left)(chunk.orders, last, at)
        if end > at:
            orders += chunk.orders[at:end]
            taken.append(chunk.queue.take(end - at))
    if len(taken) == 1:
        return taken[0]
    order = sorted(range(len(orders)), key=orders.__getitem__)
    columns = [records for records in taken if isinstance(records, IncomingColumns)]
    if len(columns) == len(taken):
        return MergedColumns(columns, order)
    records = list(chain.from_iterable(taken))
    return [records[number] for number in order]


def in_order(queues: Sequence[RecordQueue], order_of: Callable[[IncomingRecord], int]) -> Iterator[IncomingRecord]:
    """Yield the records of all queues: always the head with the lowest `order_of`, of equal ones that of the first queue.

    As in the partition groups of Kafka Streams, the records of a queue stay in their order even if their timestamps are out of
    order. Ends as soon as a queue with `more` is empty, since its next record may precede those of the other queues.
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
