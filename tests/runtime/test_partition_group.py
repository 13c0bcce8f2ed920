"""A task takes the record with the lowest order from the heads of its queues."""

from collections.abc import Mapping, Sequence

import pytest

from eddyline.application.runtime.partition_group import in_order
from eddyline.application.runtime.record_queue import NO_ARRIVAL, IncomingRecord


class ListQueue:
    """A record queue over timestamps."""

    def __init__(self, name: str, *timestamps: int, more: bool = False) -> None:
        self.more = more
        self._records = [IncomingRecord(name, 0, n, time, None, None, (), NO_ARRIVAL) for n, time in enumerate(timestamps)]
        self.head: IncomingRecord | None = None
        self.advance()

    def advance(self) -> None:
        self.head = self._records.pop(0) if self._records else None


def taken(*queues: ListQueue) -> list[str]:
    return [f"{record.topic}{record.timestamp}" for record in in_order(queues, lambda record: record.timestamp)]


@pytest.mark.parametrize(
    ("timestamps", "expected"),
    [
        ({}, []),
        ({"a": [3, 1, 2]}, ["a3", "a1", "a2"]),
        ({"a": [1, 4, 6], "b": [2, 3, 7]}, ["a1", "b2", "b3", "a4", "a6", "b7"]),
        ({"a": [5, 1], "b": [3, 4]}, ["b3", "b4", "a5", "a1"]),
        ({"a": [9], "b": [], "c": [1, 2]}, ["c1", "c2", "a9"]),
        ({"a": [2, 2], "b": [1, 2], "c": [2]}, ["b1", "a2", "a2", "b2", "c2"]),
    ],
    ids=["no queue", "one queue", "lowest head first", "order within a queue", "an empty queue", "the first of equal heads"],
)
def test_records_are_taken_in_order(timestamps: Mapping[str, Sequence[int]], expected: list[str]) -> None:
    assert taken(*(ListQueue(name, *times) for name, times in timestamps.items())) == expected


def test_nothing_is_taken_while_a_queue_with_more_is_empty() -> None:
    waiting = ListQueue("b", 1)
    assert taken(waiting, ListQueue("a", more=True)) == []
    assert waiting.head is not None


def test_nothing_is_taken_after_a_queue_with_more_has_become_empty() -> None:
    waiting = ListQueue("b", 1, 3, 5)
    assert taken(ListQueue("a", 2, 4, more=True), waiting) == ["b1", "a2", "b3", "a4"]
    assert waiting.head is not None
    assert waiting.head.timestamp == 5


def test_a_single_queue_with_more_is_taken_to_its_end() -> None:
    assert taken(ListQueue("a", 2, 1, more=True)) == ["a2", "a1"]


def test_queues_may_be_ordered_by_something_else() -> None:
    queues = [ListQueue("a", 1, 2), ListQueue("b", 3)]
    assert [record.timestamp for record in in_order(queues, lambda record: -record.timestamp)] == [3, 1, 2]
