"""Compares the tables in two topics: the last record of a key is its row, a record without a value deletes the row.

Two flows that write the topics have seldom made the same progress. The progress of a topic is its stream time, the newest
timestamp in it. If the stream times differ, only keys whose last records in both topics are older than the lesser of the two
are compared, because the slower flow may still be producing results for that time; keys with a newer last record are counted
as `later`. If the stream times are equal, all keys are compared. Flows whose partitions have made different progress, or that
still have late records to read, show differences that disappear as they catch up.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal, NamedTuple, TypeAlias

from eddyline.application.ports.event_log import EventLog, Headers, LogRecord

NO_TIME = -1
"""The stream time of a topic without records."""

Until: TypeAlias = Literal["common", "end"] | int
"""The limit of a comparison: the progress that both topics have made, all records, or a time in ms since the epoch."""

Normalizer: TypeAlias = Callable[[bytes, Headers], bytes]
"""Converts encoded bytes, with the headers of their record, to bytes that are equal if the values are equal."""


def unchanged(data: bytes, _headers: Headers) -> bytes:
    """Return the bytes as they are, for keys or values of unknown type."""
    return data


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a topic, and how to normalize its keys and values."""

    topic: str
    key: Normalizer = unchanged
    value: Normalizer = unchanged


class TopicProgress(NamedTuple):
    """What a topic contained when it was compared.

    Attributes:
        topic: The topic.
        end_offsets: The end offset of each partition.
        records: The number of records read.
        keys: The number of rows in the table.
        stream_time: The newest timestamp in ms since the epoch, NO_TIME without records.
        keyless: Records without a key; they are not compared.
        unreadable: What the log could not parse as a record; not compared either.
    """

    topic: str
    end_offsets: Sequence[int]
    records: int
    keys: int
    stream_time: int
    keyless: int = 0
    unreadable: int = 0


class Difference(NamedTuple):
    """A key whose normalized values differ; None for a topic that does not have the key."""

    key: bytes
    first: bytes | None
    second: bytes | None


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two topics.

    Attributes:
        first: The progress of the first topic.
        second: The progress of the second topic.
        until: Only records older than this time, in ms since the epoch, were compared; None if all were.
        equal: The number of keys with equal values.
        different: The number of keys with different values.
        only_first: The number of keys that only the first topic has.
        only_second: The number of keys that only the second topic has.
        later: The number of keys that were not compared, because a topic has a record at or after `until`.
        differences: The first unequal keys, sorted by key.
    """

    first: TopicProgress
    second: TopicProgress
    until: int | None
    equal: int
    different: int
    only_first: int
    only_second: int
    later: int
    differences: Sequence[Difference]

    @property
    def agree(self) -> bool:
        """Whether all compared keys are equal."""
        return not (self.different or self.only_first or self.only_second)


class _Row(NamedTuple):
    timestamp: int
    partition: int
    value: bytes | None
    headers: Headers


_Table: TypeAlias = dict[bytes, _Row]


def compare(
    log: EventLog, first: Side, second: Side, *, until: Until = "common", limit: int = 20, tolerance: float = 0.0
) -> Comparison:
    """Read both topics up to their present end and compare their tables, which are held in memory.

    Args:
        log: The log with both topics. Its errors and those of the normalizers are raised.
        first: The first topic.
        second: The second topic.
        until: The limit of the comparison.
        limit: How many differences are returned at most; all are counted.
        tolerance: By which share of the greater one two numbers in values that are JSON may differ.
    """
    end_offsets = [_end_offsets(log, side.topic) for side in (first, second)]
    (progress_one, rows_one), (progress_two, rows_two) = (
        _table(log, side, ends) for side, ends in zip((first, second), end_offsets, strict=True)
    )
    bound = _bound(until, progress_one, progress_two)
    equal = different = only_first = only_second = later = 0
    unequal_keys: list[bytes] = []
    for key in rows_one.keys() | rows_two.keys():
        row_one, row_two = rows_one.get(key), rows_two.get(key)
        if bound is not None and any(row is not None and row.timestamp >= bound for row in (row_one, row_two)):
            later += 1
            continue
        value_one, value_two = _value(row_one, first), _value(row_two, second)
        if value_one == value_two or (tolerance and _are_close(value_one, value_two, tolerance)):
            equal += value_one is not None
            continue
        different += value_one is not None and value_two is not None
        only_first += value_two is None
        only_second += value_one is None
        unequal_keys.append(key)
    differences = [
        Difference(key, _value(rows_one.get(key), first), _value(rows_two.get(key), second))
        for key in sorted(unequal_keys)[:limit]
    ]
    return Comparison(progress_one, progress_two, bound, equal, different, only_first, only_second, later, differences)


def _bound(until: Until, one: TopicProgress, two: TopicProgress) -> int | None:
    if isinstance(until, int):
        return until
    if until == "end" or one.stream_time == two.stream_time:
        return None
    return min(one.stream_time, two.stream_time)


def _end_offsets(log: EventLog, topic: str) -> list[int]:
    return [log.end_offset(topic, partition) for partition in range(log.partitions(topic))]


def _table(log: EventLog, side: Side, end_offsets: Sequence[int]) -> tuple[TopicProgress, _Table]:
    rows: _Table = {}
    records = keyless = unreadable = 0
    stream_time = NO_TIME
    for record in _records(log, side.topic, end_offsets):
        records += 1
        if record.error is not None:
            unreadable += 1
            continue
        stream_time = max(stream_time, record.timestamp)
        if record.key is None:
            keyless += 1
            continue
        key = side.key(record.key, record.headers)
        row = rows.get(key)
        if row is None or row.partition == record.partition or row.timestamp <= record.timestamp:
            rows[key] = _Row(record.timestamp, record.partition, record.value, record.headers)
    keys = sum(row.value is not None for row in rows.values())
    return TopicProgress(side.topic, end_offsets, records, keys, stream_time, keyless, unreadable), rows


def _records(log: EventLog, topic: str, end_offsets: Sequence[int]) -> Iterator[LogRecord]:
    for partition, end in enumerate(end_offsets):
        for batch in log.read(topic, partition, log.beginning_offset(topic, partition), end):
            yield from batch


def _value(row: _Row | None, side: Side) -> bytes | None:
    return None if row is None or row.value is None else side.value(row.value, row.headers)


def _are_close(one: bytes | None, other: bytes | None, tolerance: float) -> bool:
    """Return whether two values are JSON that differs in numbers only, by no more than the tolerance."""
    if one is None or other is None:
        return False
    try:
        return _agree(json.loads(one), json.loads(other), tolerance)
    except ValueError:
        return False


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    numbers = (float, int)
    if type(one) in numbers and type(other) in numbers:
        return one == other or isclose(one, other, rel_tol=tolerance)
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_agree(one[name], other[name], tolerance) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_agree, one, other, [tolerance] * len(one)))
    return bool(one == other)
