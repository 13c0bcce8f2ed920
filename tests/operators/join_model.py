"""Stream-stream joins as their rules define them, computed from all records so far: slow, and without stores."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from hypothesis import strategies as st

from eddyline.application.topology import JoinWindows, join_windows
from eddyline.testing import MemoryEngine

INFINITE = 10**9

SideRecord: TypeAlias = tuple[bool, str | None, str | None, int]
"""Whether it is one of the left side, key, value and timestamp."""

RECORDS = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from(["a", "b", None]) | st.just("a"),
        st.sampled_from(["x", "y"]) | st.none() | st.just("z"),
        st.integers(0, 120),
    ),
    max_size=40,
)
WINDOWS = st.builds(
    join_windows,
    before=st.sampled_from([0, 5, 20]),
    after=st.sampled_from([0, 5, 20]),
    grace=st.sampled_from([0, 3, 50]),
)


def any_pair(_left: str, _right: str) -> bool:
    return True


class Record(NamedTuple):
    """A record of one side; `arrival` is its position in the order of arrival."""

    left: bool
    key: str
    value: str
    time: int
    arrival: int


class JoinModel:
    """Processes records one by one and returns what each emits: (key, (left value, right value), timestamp)."""

    def __init__(self, operator: str, windows: JoinWindows, condition: Callable[[str, str], bool] = any_pair) -> None:
        self._condition = condition
        self._operator, self._before, self._after = operator, windows.before_ms, windows.after_ms
        self._grace = windows.grace_ms
        self._records: list[Record] = []
        self._unmatched: list[Record] = []
        self._stream_time = -1
        self._lower_bound = INFINITE

    def check(self, engine: MemoryEngine, records: Iterable[SideRecord]) -> None:
        """Pass the records to an engine of this join, and assert that each emits what the rules define."""
        for left, key, value, time in records:
            engine.pipe("left" if left else "right", key, value, time)
            emitted = [(output.key, output.value, output.timestamp) for output in engine.take_outputs()]
            assert emitted == self.process(left, key, value, time)

    def process(self, left: bool, key: str | None, value: str | None, time: int) -> list[Any]:
        """Return what is emitted for one record."""
        self._stream_time = max(self._stream_time, time)
        keeps_unmatched = self._keeps_unmatched(left)
        if key is None or value is None:
            return [(key, _pair(left, value, None), time)] if keeps_unmatched and value is not None else []
        record = Record(left, key, value, time, len(self._records))
        self._records.append(record)
        emitted = self._expired(left) if time == self._stream_time and self._operator != "join" else []
        matches = self._matches(record)
        for match in matches:
            self._unmatched = [
                other
                for other in self._unmatched
                if other[:2] + other[3:4] != (not left, key, match.time) or not self._meet(record, other)
            ]
            emitted.append((key, _pair(left, value, match.value), max(time, match.time)))
        if keeps_unmatched and not matches:
            if time + self._wait(left) < self._stream_time:
                emitted.append((key, _pair(left, value, None), time))
            else:
                self._unmatched.append(record)
                self._lower_bound = min(self._lower_bound, time)
        return emitted

    def _matches(self, record: Record) -> list[Record]:
        before, after = (self._before, self._after) if record.left else (self._after, self._before)
        others = [other for other in self._records if other.left != record.left]
        newest = max((other.time for other in others), default=-1)
        expired = newest - max(1, self._before + self._after + self._grace)
        near = [
            other
            for other in others
            if other.key == record.key and record.time - before <= other.time <= record.time + after and other.time > expired
            if self._meet(record, other)
        ]
        return sorted(near, key=lambda other: (other.time, other.arrival))

    def _meet(self, record: Record, other: Record) -> bool:
        left, right = (record, other) if record.left else (other, record)
        return self._condition(left.value, right.value)

    def _expired(self, left: bool) -> list[Any]:
        if self._lower_bound + self._wait(left) + self._grace >= self._stream_time:
            return []
        self._lower_bound = INFINITE
        emitted: list[Any] = []
        open_sides: set[bool] = set()
        for record in sorted(self._unmatched, key=lambda other: (other.time, other.left, other.key, other.arrival)):
            self._lower_bound = record.time
            if open_sides == {True, False}:
                break
            if record.time + self._wait(record.left) + self._grace >= self._stream_time:
                open_sides.add(record.left)
            else:
                emitted.append((record.key, _pair(record.left, record.value, None), record.time))
                self._unmatched.remove(record)
        return emitted

    def _wait(self, left: bool) -> int:
        return self._after if left else self._before

    def _keeps_unmatched(self, left: bool) -> bool:
        return self._operator == "outer_join" or (self._operator == "left_join" and left)


def _pair(left: bool, this: str | None, other: str | None) -> tuple[str | None, str | None]:
    return (this, other) if left else (other, this)
