"""A task takes the record with the lowest order from the heads of its queues."""

from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.runtime.input.partition_group import chunks_in_order, in_order
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord, RecordQueue


class ListQueue(RecordQueue):
    """A record queue over timestamps, with chunks of some size."""

    def __init__(self, name: str, *timestamps: int, more: bool = False, size: int = 1) -> None:
        records = [IncomingRecord(name, 0, n, time, None, None, (), NO_ARRIVAL) for n, time in enumerate(timestamps)]
        super().__init__((records[start : start + size] for start in range(0, len(records), size)), more=more)


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


TIMES = st.lists(st.integers(0, 9), max_size=8)
QUEUES = st.lists(st.tuples(TIMES | TIMES.map(sorted), st.booleans()), min_size=1, max_size=4)


@given(QUEUES, st.integers(1, 4))
def test_records_that_are_taken_many_at_once_are_those_that_are_taken_one_by_one(
    given_queues: list[tuple[list[int], bool]], queue_size: int
) -> None:
    def queues() -> list[ListQueue]:
        return [ListQueue(str(n), *times, more=more, size=queue_size) for n, (times, more) in enumerate(given_queues)]

    def chunks(taken_from: Sequence[ListQueue]) -> Iterator[IncomingRecord]:
        for chunk in chunks_in_order(taken_from, lambda record: record.timestamp):
            assert len(chunk) >= 1
            yield from chunk

    one_by_one, many_at_once = queues(), queues()
    expected = list(in_order(one_by_one, lambda record: record.timestamp))
    assert list(chunks(many_at_once)) == expected
    assert [queue.head for queue in many_at_once] == [queue.head for queue in one_by_one]
