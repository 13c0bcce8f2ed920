"""In which order a task takes the records that wait for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Literal, TypeAlias, TypeVar

R = TypeVar("R")

Order: TypeAlias = Literal["timestamp", "arrival"]


def lowest_head_first(queues: Mapping[tuple[str, int], Sequence[R]], time_of: Callable[[R], int]) -> Iterator[R]:
    """The records of several partitions, always the one whose head has the lowest timestamp next, as Kafka Streams does.

    A partition's own order is kept, even where its timestamps are not in order. Among equal heads the partition with the
    lower topic name and number goes first. A record without a time counts as one at once.
    """
    heads = [(time_of(queue[0]), place, 0) for place, queue in queues.items() if queue]
    heapify(heads)
    while heads:
        _, place, index = heads[0]
        queue = queues[place]
        yield queue[index]
        if index + 1 < len(queue):
            heapreplace(heads, (time_of(queue[index + 1]), place, index + 1))
        else:
            heappop(heads)
