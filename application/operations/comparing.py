"""Compares two topics as the tables that they hold: a key's last record counts, a null value takes the key away.

Two flows that fill the topics are seldom equally far, so what one has not reached yet is left out. How far a topic has come is
the newest timestamp in it, its stream time. Where the two differ, only keys whose last record in both topics is older than the
lesser of the two are compared, since the slower flow may still be at work on that very time; keys with a newer last record are
counted as `later`. Where the stream times are equal, both have come equally far and every key is compared. Flows whose
partitions are not equally far, or that have late records before them, show differences that go away as they go on.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from eddyline.application.ports.event_log import EventLog, Headers, LogRecord

NO_TIME = -1
"""The stream time of a topic without records."""
Until: TypeAlias = Literal["common", "end"] | int
"""Up to where topics are compared: as far as both have come, all that they hold, or what is older than a time in ms."""

Form: TypeAlias = Callable[[bytes, Headers], bytes]
"""Gives bytes that are equal where what the given ones mean is; the headers are the record's."""


def as_it_is(data: bytes, _headers: Headers) -> bytes:
    """The form of bytes whose meaning is not known."""
    return data


@dataclass(frozen=True)
class Side:
    """A topic, and how its keys and values become comparable."""

    topic: str
    key: Form = as_it_is
    value: Form = as_it_is


class Reach(NamedTuple):
    """How far a topic has come.

    `ends` has the end offset of every partition, `stream_time` is the newest timestamp in ms since the epoch, `keys` counts the
    rows of the table. `keyless` records have no key and `unreadable` ones are none: neither is compared.
    """

    topic: str
    ends: Sequence[int]
    records: int
    keys: int
    stream_time: int
    keyless: int = 0
    unreadable: int = 0


class Difference(NamedTuple):
    """A key whose values differ, both comparable; None where a topic does not have the key."""

    key: bytes
    first: bytes | None
    second: bytes | None


@dataclass(frozen=True)
class Comparison:
    """What two topics have in common.

    `until` is the time in ms that the compared records are older than, None where all were compared. Of the keys compared
    `equal` have equal values, `different` ones differ, and the others only one topic has. `later` keys were not compared.
    `differences` are the first of the keys that are not equal, by key.
    """

    first: Reach
    second: Reach
    until: int | None
    equal: int
    different: int
    only_first: int
    only_second: int
    later: int
    differences: Sequence[Difference]

    @property
    def agree(self) -> bool:
        """Whether no compared key differs."""
        return not (self.different or self.only_first or self.only_second)


class _Last(NamedTuple):
    timestamp: int
    partition: int
    value: bytes | None
    headers: Headers


_Table: TypeAlias = dict[bytes, _Last]


def compare(log: EventLog, first: Side, second: Side, *, until: Until = "common", limit: int = 20) -> Comparison:
    """Reads both topics to the ends that they have now and compares their tables; `limit` bounds the differences told.

    It holds the last value of every key of both in memory. Raises what the log and the codecs raise.
    """
    ends = [_ends(log, side.topic) for side in (first, second)]
    (one, rows_one), (two, rows_two) = (_table(log, side, end) for side, end in zip((first, second), ends, strict=True))
    bound = _bound(until, one, two)
    equal = different = only_first = only_second = later = 0
    differing: list[bytes] = []
    for key in rows_one.keys() | rows_two.keys():
        left, right = rows_one.get(key), rows_two.get(key)
        if bound is not None and any(row is not None and row.timestamp >= bound for row in (left, right)):
            later += 1
            continue
        before, after = _value(left, first), _value(right, second)
        if before == after:
            equal += before is not None
            continue
        different += before is not None and after is not None
        only_first += after is None
        only_second += before is None
        differing.append(key)
    told = [
        Difference(key, _value(rows_one.get(key), first), _value(rows_two.get(key), second)) for key in sorted(differing)[:limit]
    ]
    return Comparison(one, two, bound, equal, different, only_first, only_second, later, told)


def _bound(until: Until, one: Reach, two: Reach) -> int | None:
    if isinstance(until, int):
        return until
    if until == "end" or one.stream_time == two.stream_time:
        return None
    return min(one.stream_time, two.stream_time)


def _ends(log: EventLog, topic: str) -> list[int]:
    return [log.end_offset(topic, partition) for partition in range(log.partitions(topic))]


def _table(log: EventLog, side: Side, ends: Sequence[int]) -> tuple[Reach, _Table]:
    rows: _Table = {}
    records = keyless = unreadable = 0
    stream_time = NO_TIME
    for record in _records(log, side.topic, ends):
        records += 1
        if record.error is not None:
            unreadable += 1
            continue
        stream_time = max(stream_time, record.timestamp)
        if record.key is None:
            keyless += 1
            continue
        key = side.key(record.key, record.headers)
        known = rows.get(key)
        if known is None or known.partition == record.partition or known.timestamp <= record.timestamp:
            rows[key] = _Last(record.timestamp, record.partition, record.value, record.headers)
    keys = sum(row.value is not None for row in rows.values())
    return Reach(side.topic, ends, records, keys, stream_time, keyless, unreadable), rows


def _records(log: EventLog, topic: str, ends: Sequence[int]) -> Iterator[LogRecord]:
    for partition, end in enumerate(ends):
        for batch in log.read(topic, partition, log.beginning_offset(topic, partition), end):
            yield from batch


def _value(row: _Last | None, side: Side) -> bytes | None:
    return None if row is None or row.value is None else side.value(row.value, row.headers)
