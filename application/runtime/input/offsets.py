"""The offsets of all partitions of several topics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias

from eddyline.application.ports.event_log import EventLog, LogRecord, Position, TopicPartition
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL

Offsets: TypeAlias = Mapping[str, Sequence[int]]
"""The offset of each partition of each topic: `offsets[topic][partition]`."""

Bounds: TypeAlias = Mapping[str, Sequence[tuple[int, int]]]
"""The beginning and the end offset of each partition of each topic."""


def beginning_offsets(log: EventLog, topics: Iterable[str]) -> dict[str, list[int]]:
    """Return the beginning offsets of all partitions of the topics."""
    return {topic: [begin for begin, _ in bounds] for topic, bounds in log.topic_bounds(topics).items()}


def end_offsets(log: EventLog, topics: Iterable[str]) -> dict[str, list[int]]:
    """Return the end offsets of all partitions of the topics."""
    return ends_of(log.topic_bounds(topics))


def batches_of(log: EventLog, topic: str, partition: int) -> Iterator[Sequence[LogRecord]]:
    """Return the records that a partition has now, many at a time."""
    begin, end = log.bounds(topic, partition)
    return log.read(topic, partition, begin, end) if begin < end else iter(())


def ends_of(bounds: Bounds) -> dict[str, list[int]]:
    """Return the end offsets in the bounds."""
    return {topic: [end for _, end in numbers] for topic, numbers in bounds.items()}


def partitions_of(offsets: Offsets) -> Iterator[TopicPartition]:
    """Yield the partitions that have an offset."""
    return (TopicPartition(topic, number) for topic, numbers in offsets.items() for number in range(len(numbers)))


def by_partition(offsets: Offsets) -> dict[TopicPartition, int]:
    """Return the offset of each partition."""
    return {where: offsets[where.topic][where.partition] for where in partitions_of(offsets)}


def records_between(start: Offsets, end: Offsets) -> int:
    """Return the number of offsets from `start` to `end`; a partition without a start counts from 0."""
    return sum(
        last - first for topic, numbers in end.items() for last, first in zip_longest(numbers, start.get(topic, ()), fillvalue=0)
    )


def with_new_partitions(log: EventLog, start: Offsets, end: Offsets) -> Offsets:
    """Return `start` extended by the topics and partitions that only `end` has, at their beginning offsets."""
    extended = {}
    for topic, ends in end.items():
        known = start.get(topic, ())
        extended[topic] = [*known, *(log.beginning_offset(topic, number) for number in range(len(known), len(ends)))]
    return extended


def arrivals(log: EventLog, partition: TopicPartition, start: Offsets, end: Offsets) -> Iterator[tuple[int, Position]]:
    """Yield the arrival number and the position of the records of a partition from `start` to `end`."""
    topic, number = partition
    for batch in log.read(topic, number, start[topic][number], end[topic][number]):
        for record in batch:
            yield NO_ARRIVAL if record.arrival is None else record.arrival, Position(topic, number, record.offset)
