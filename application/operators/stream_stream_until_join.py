"""Joins two streams in windows of event time whose ends the left records choose.

Each record is kept as long as one that is in time, at most the grace period older than stream time, may join it: a left record
until stream time has passed the end of its window and the grace period, a right record until a buffer has records that are
newer by more than `before` and the grace period. So what is joined depends on the order of the records alone.
"""

from __future__ import annotations

from bisect import insort
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.joiners import joiner_of
from eddyline.application.topology.callables import is_true

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.ports.state_store import KeyValueStore, WindowStore
    from eddyline.application.topology.nodes import StreamStreamUntilJoinNode
    from eddyline.application.topology.records import Headers

    Left: TypeAlias = tuple[int, int, Any]
    """A left record: its timestamp, the end of its window, both in ms since the epoch, and its value."""


def join_streams_until(
    node: StreamStreamUntilJoinNode, context: OperatorContext, forward: StreamForward
) -> tuple[StreamForward, StreamForward]:
    """Return the functions for the records of the left and of the right stream.

    A record joins its matches in the order of their timestamps, then of their arrival; the result has the greater timestamp of
    the two. Records with a null key or value are dropped.
    """
    join = _UntilJoin(node, context, forward)
    return join.process_left, join.process_right


class _UntilJoin:
    def __init__(self, node: StreamStreamUntilJoinNode, context: OperatorContext, forward: StreamForward) -> None:
        self._node = node.name
        self._lefts: KeyValueStore[Any, list[Left]] = context.store(node.left_store)
        self._ends: KeyValueStore[tuple[int, Any], bool] = context.store(node.ends_store)
        self._rights: WindowStore[Any, list[Any]] = context.store(node.right_store)
        self._before_ms, self._grace_ms = node.windows.before_ms, node.windows.grace_ms
        self._until = node.windows.until or _never
        self._condition = node.condition
        self._joiner = joiner_of(node)
        self._stream_time = context.cell(f"{node.name}:stream-time")
        self._drop = context.drop
        self._forward = forward
        self._keeps_ends = context.undo is None
        self._first_ends: list[int] | None = None
        """The ends of the windows that have not closed, as a heap; None if they have to be looked up in the store."""
        context.on_restore(self._forget_ends)

    def process_left(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Process a record of the left stream."""
        if self._is_invalid(key, value, timestamp, headers):
            return
        end, first = self._until(value), max(0, timestamp - self._before_ms)
        for right_timestamp, rights in self._rights.fetch_range(key, first, end):
            for right in rights:
                self._emit(key, value, right, max(timestamp, right_timestamp), headers)
        if first <= end and end + self._grace_ms >= self._stream_time.value:
            lefts = list(self._lefts.get(key) or ())
            insort(lefts, (timestamp, end, value), key=_timestamp_of)
            self._lefts.put(key, lefts)
            self._ends.put((end, key), value=True)
            if self._first_ends is not None:
                heappush(self._first_ends, end)

    def process_right(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Process a record of the right stream."""
        if self._is_invalid(key, value, timestamp, headers):
            return
        self._rights.put(key, [*(self._rights.fetch(key, timestamp) or ()), value], timestamp)
        latest = timestamp + self._before_ms
        for left_timestamp, end, left in self._lefts.get(key) or ():
            if left_timestamp <= latest and timestamp <= end:
                self._emit(key, left, value, max(timestamp, left_timestamp), headers)

    def _emit(self, key: Any, left: Any, right: Any, timestamp: int, headers: Headers) -> None:
        if self._condition is None or is_true(self._condition(left, right)):
            self._forward(key, self._joiner(key, left, right), timestamp, headers)

    def _is_invalid(self, key: Any, value: Any, timestamp: int, headers: Headers) -> bool:
        """Advance stream time; drop a record without a key or value."""
        if timestamp > self._stream_time.value:
            self._stream_time.value = timestamp
            closed, first_ends = timestamp - self._grace_ms, self._first_ends
            if first_ends is None or (first_ends and first_ends[0] < closed):
                self._expire(closed)
        if key is None or value is None:
            reason = DropReason.NULL_VALUE if value is None else DropReason.NULL_KEY
            self._drop(self._node, reason, key, value, timestamp, headers)
            return True
        return False

    def _expire(self, closed: int) -> None:
        """Delete the left records whose windows end before `closed`."""
        for entry, _ in self._ends.range(None, (closed,)):  # type: ignore[arg-type] # sorts before all keys of that end
            key = entry[1]
            self._ends.delete(entry)
            lefts = [left for left in self._lefts.get(key) or () if left[1] >= closed]
            self._lefts.put(key, lefts or None)
        if self._keeps_ends:
            if self._first_ends is None:
                self._first_ends = [end for (end, _), _ in self._ends.range()]  # sorted, so it is a heap
            while self._first_ends and self._first_ends[0] < closed:
                heappop(self._first_ends)

    def _forget_ends(self) -> None:
        self._first_ends = None


def _timestamp_of(left: Left) -> int:
    return left[0]


def _never(_value: object) -> int:
    return -1
