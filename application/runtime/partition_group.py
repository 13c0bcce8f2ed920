"""The partition group of a task: takes records from its queues in order."""

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import islice

from eddyline.application.runtime.record_queue import DecodeAll, IncomingRecord, LogQueue, RecordQueue


def chunks_in_order(
    queues: Sequence[RecordQueue],
    order_of: Callable[[IncomingRecord], int],
    decoder_of: Callable[[str], DecodeAll],
    size: int,
) -> Iterator[list[IncomingRecord]]:
    """Yield the records of all queues in the order of `in_order`, in lists of at most this size.

    Args:
        queues: The queues.
        order_of: Returns what a record is ordered by.
        decoder_of: Returns the decoder of many records of a topic; those of a queue that has no others beside it are not decoded
            one by one.
        size: The size of the lists.
    """
    if len(queues) == 1 and isinstance(queues[0], LogQueue):
        yield from queues[0].take_all(decoder_of(queues[0].offsets.topic), size)
        return
    records = in_order(queues, order_of)
    while chunk := list(islice(records, size)):
        yield chunk


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
