"""Records by column are the same as records in a list."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.runtime.input.incoming_columns import (
    IncomingColumns,
    MergedColumns,
    columns_by_topic,
    orders_of,
    rows_of,
)
from eddyline.application.runtime.input.partition_group import chunks_in_order
from eddyline.application.runtime.input.record_queue import IncomingRecord, RecordQueue, timestamp_of

TIMES = st.lists(st.integers(0, 9), max_size=8)
QUEUES = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "d"]), TIMES | TIMES.map(sorted), st.booleans()), min_size=1, max_size=4
)


def _records(topic: str, partition: int, times: Sequence[int]) -> list[IncomingRecord]:
    return [
        IncomingRecord(topic, partition, n, time, f"{topic}{n}", n or None, (("h", b"%d" % n),), n)
        for n, time in enumerate(times)
    ]


def _columns(records: Sequence[IncomingRecord]) -> IncomingColumns:
    topics, partitions, offsets, timestamps, keys, values, headers, arrivals = zip(*records, strict=True)
    return IncomingColumns(topics[0], partitions[0], offsets, RecordColumns(keys, values, timestamps, headers), arrivals)


def _queue(records: Sequence[IncomingRecord], size: int, *, more: bool, columns: bool) -> RecordQueue:
    chunks = (records[start : start + size] for start in range(0, len(records), size))
    return RecordQueue((_columns(chunk) if columns else chunk for chunk in chunks), more=more)


@given(QUEUES, st.integers(1, 9), st.lists(st.integers(0, 30), max_size=3))
def test_queues_of_columns_have_the_records_of_lists_in_the_same_order(
    given_queues: list[tuple[str, list[int], bool]], size: int, indexes: list[int]
) -> None:
    found: list[Any] = []
    for columns in (True, False):
        queues = [
            _queue(_records(topic, partition, times), size, more=more, columns=columns)
            for partition, (topic, times, more) in enumerate(given_queues)
        ]
        records: list[IncomingRecord] = []
        for chunk in chunks_in_order(queues, timestamp_of):
            assert isinstance(chunk, (IncomingColumns, MergedColumns)) == columns
            _check(chunk, indexes)
            records += chunk
        found.append((records, [queue.head for queue in queues]))
    assert found[0] == found[1]


def _by_column(records: Sequence[IncomingRecord]) -> RecordColumns:
    _, _, _, timestamps, keys, values, headers, _ = zip(*rows_of(records), strict=True)
    return RecordColumns(keys, values, timestamps, headers)


def _check(chunk: Sequence[IncomingRecord], indexes: Sequence[int]) -> None:
    """Check that a chunk is the same sequence as the list of its records."""
    records = list(chunk)
    assert all(type(record) is IncomingRecord for record in records)
    assert len(chunk) == len(records) > 0
    assert list(map(tuple, rows_of(chunk))) == records
    assert list(orders_of(chunk, timestamp_of)) == [record.timestamp for record in records]
    for index in indexes:
        assert list(chunk[index:]) == records[index:]
        if index < len(records):
            assert chunk[index] == records[index]
    assert list(map(list, _by_column(chunk))) == list(map(list, _by_column(records)))
    by_topic = columns_by_topic(chunk)
    assert set(by_topic) == {record.topic for record in records}
    for topic, (columns, positions) in by_topic.items():
        assert list(positions) == [position for position, record in enumerate(records) if record.topic == topic]
        expected = _by_column([record for record in records if record.topic == topic])
        assert list(map(list, columns)) == list(map(list, expected))


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_beyond_the_records_is_an_error(index: int) -> None:
    one, other = _columns(_records("a", 0, [1, 2])), _columns(_records("b", 0, [0]))
    for records in (MergedColumns([one, other], [2, 0, 1]), _columns(_records("a", 0, [1, 2, 3]))):
        with pytest.raises(IndexError):
            records[index]


def test_columns_are_counted_from_the_end_as_well() -> None:
    one, other = _columns(_records("a", 0, [1, 2])), _columns(_records("b", 0, [0]))
    merged = MergedColumns([one, other], [2, 0, 1])
    assert merged[-1] == one[-1] == one[1]
    assert list(reversed(merged)) == [one[1], one[0], other[0]]
