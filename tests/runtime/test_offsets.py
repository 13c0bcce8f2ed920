"""Offsets of all partitions of several topics."""

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import Position, TopicPartition
from eddyline.application.runtime.input.offsets import (
    arrivals,
    beginning_offsets,
    end_offsets,
    partitions_of,
    records_between,
    with_new_partitions,
)
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL


class TruncatedLog(MemoryEventLog):
    """A log that has lost the first two records of each partition."""

    def beginning_offset(self, topic: str, partition: int) -> int:
        return super().beginning_offset(topic, partition) + 2


@pytest.fixture
def log() -> MemoryEventLog:
    log = TruncatedLog()
    log.create_topic("a", 2)
    log.create_topic("b", 1)
    for partition, arrival in ((0, 7), (1, 8), (1, None), (1, 9)):
        log.append("a", b"k", b"v", 0, partition=partition, arrival=arrival)
    return log


def test_the_offsets_of_all_partitions_are_found(log: MemoryEventLog) -> None:
    assert beginning_offsets(log, ["a", "b"]) == {"a": [2, 2], "b": [2]}
    assert end_offsets(log, ["b", "a"]) == {"b": [0], "a": [1, 3]}


def test_partitions_are_listed_topic_by_topic() -> None:
    assert list(partitions_of({"b": [5], "a": [1, 2]})) == [
        TopicPartition("b", 0),
        TopicPartition("a", 0),
        TopicPartition("a", 1),
    ]


def test_records_are_counted_from_offset_0_in_partitions_without_a_start() -> None:
    assert records_between({"a": [3, 10]}, {"a": [5, 11, 4], "b": [6]}) == 2 + 1 + 4 + 6


def test_new_partitions_start_at_their_beginning_offsets(log: MemoryEventLog) -> None:
    assert with_new_partitions(log, {"a": [4], "b": [1]}, {"a": [6, 3], "b": [1]}) == {"a": [4, 2], "b": [1]}


def test_arrival_numbers_are_listed_with_the_positions_of_their_records(log: MemoryEventLog) -> None:
    found = arrivals(log, TopicPartition("a", 1), {"a": [0, 0]}, {"a": [1, 3]})
    assert list(found) == [(8, Position("a", 1, 0)), (NO_ARRIVAL, Position("a", 1, 1)), (9, Position("a", 1, 2))]
    assert list(arrivals(log, TopicPartition("a", 1), {"a": [0, 1]}, {"a": [1, 2]})) == [(NO_ARRIVAL, Position("a", 1, 1))]
