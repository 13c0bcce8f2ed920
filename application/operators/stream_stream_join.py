"""Joins two streams in windows of event time.

Each side buffers its records for as long as a record of the other side may join them: a buffer expires what is older than its
newest record by more than the whole window and the grace period. So no record is dropped for being late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.joiners import joiner_of
from eddyline.application.operators.unmatched import LEFT, RIGHT, UnmatchedRecords
from eddyline.application.topology.callables import is_true

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.operators.joiners import JoinerWithKey
    from eddyline.application.ports.state_store import WindowStore
    from eddyline.application.topology.nodes import StreamStreamJoinNode
    from eddyline.application.topology.records import Headers

    Matches: TypeAlias = Sequence[tuple[int, list[Any]]]
    Condition: TypeAlias = Callable[[Any, Any], bool]


class _Side(NamedTuple):
    """One side of a join.

    A record of this side with timestamp t joins those of the other side in [t - before_ms, t + after_ms]. `joiner` takes
    (key, value of this side, value of the other side). `keeps_unmatched` tells whether records without a match are emitted.
    `condition` takes (value of this side, value of the other side).
    """

    number: int
    buffer: WindowStore[Any, list[Any]]
    other_buffer: WindowStore[Any, list[Any]]
    before_ms: int
    after_ms: int
    keeps_unmatched: bool
    joiner: JoinerWithKey
    condition: Condition | None = None


def join_streams(
    node: StreamStreamJoinNode, context: OperatorContext, forward: StreamForward
) -> tuple[StreamForward, StreamForward]:
    """Return the functions for the records of the left and of the right stream.

    A record joins its matches in the order of their timestamps, then of their arrival; the result has the greater timestamp of
    the two. Records that do not meet the condition of the join are no match for each other. A record with a null value is
    dropped. A record with a null key, which has no match, is dropped too, or emitted at once if the join keeps the unmatched
    records of its side.
    """
    windows, kind, condition = node.windows, node.kind, node.condition
    left_store, right_store = context.store(node.left_store), context.store(node.right_store)
    joiner = joiner_of(node)

    def right_joiner(key: Any, right: Any, left: Any) -> Any:
        return joiner(key, left, right)

    left = _Side(LEFT, left_store, right_store, windows.before_ms, windows.after_ms, kind.keeps_left, joiner, condition)
    right = _Side(
        RIGHT,
        right_store,
        left_store,
        windows.after_ms,
        windows.before_ms,
        kind.keeps_right,
        right_joiner,
        None if condition is None else lambda right, left: condition(left, right),
    )
    side_join = _SideJoin if condition is None else _ConditionalSideJoin
    unmatched = None
    if node.unmatched_store is not None:
        unmatched = UnmatchedRecords(node, context, joiner, forward)
        context.keep_time(node.name, context.cell(f"{node.name}:stream-time"), unmatched.emit_all_expired)
    return (
        side_join(node.name, left, unmatched, context, forward).process,
        side_join(node.name, right, unmatched, context, forward).process,
    )


class _SideJoin:
    """Joins the records of one side; stream time is that of both sides."""

    def __init__(
        self, node: str, side: _Side, unmatched: UnmatchedRecords | None, context: OperatorContext, forward: StreamForward
    ) -> None:
        self._node = node
        self._side = side
        self._other_number = RIGHT if side.number == LEFT else LEFT
        self._unmatched = unmatched
        self._keeps_unmatched = side.keeps_unmatched and unmatched is not None
        self._put, self._fetch, self._fetch_matches = side.buffer.put, side.buffer.fetch, side.other_buffer.fetch_range
        self._before_ms, self._after_ms = side.before_ms, side.after_ms
        self._stream_time = context.cell(f"{node}:stream-time")
        self._drop = context.drop
        self._forward = forward

    def process(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Process one record."""
        stream_time, unmatched = self._stream_time, self._unmatched
        if timestamp > stream_time.value:
            stream_time.value = timestamp
        if key is None or value is None:
            self._emit_unmatched(key, value, timestamp, headers)
            return
        buffered = self._fetch(key, timestamp)
        self._put(key, [value] if buffered is None else [*buffered, value], timestamp)
        if unmatched is not None and timestamp == stream_time.value:
            unmatched.emit_expired(self._after_ms, timestamp, headers)
        last = max(0, timestamp + self._after_ms)
        matches = self._fetch_matches(key, max(0, timestamp - self._before_ms), last)
        if (matches and self._join(key, value, timestamp, headers, matches)) or not self._keeps_unmatched or unmatched is None:
            return
        if last < stream_time.value:
            self._emit_unmatched(key, value, timestamp, headers)
        else:
            unmatched.add(timestamp, self._side.number, key, value)

    def _join(self, key: Any, value: Any, timestamp: int, headers: Headers, matches: Matches) -> bool:
        """Forward the joined records of matches, of which there is at least one; return whether there were any."""
        unmatched, forward, joiner = self._unmatched, self._forward, self._side.joiner
        for other_timestamp, values in matches:
            if unmatched is not None:
                unmatched.remove(other_timestamp, self._other_number, key)
            later = max(timestamp, other_timestamp)
            for other in values:
                forward(key, joiner(key, value, other), later, headers)
        return True

    def _emit_unmatched(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        side = self._side
        if side.keeps_unmatched and value is not None:
            self._forward(key, side.joiner(key, value, None), timestamp, headers)
        else:
            reason = DropReason.NULL_VALUE if value is None else DropReason.NULL_KEY
            self._drop(self._node, reason, key, value, timestamp, headers)


class _ConditionalSideJoin(_SideJoin):
    """Joins the records of one side with those of the other that meet the condition."""

    def _join(self, key: Any, value: Any, timestamp: int, headers: Headers, matches: Matches) -> bool:
        side, unmatched, forward, joiner = self._side, self._unmatched, self._forward, self._side.joiner
        condition = cast("Condition", side.condition)
        found = False
        for other_timestamp, values in matches:
            meeting = [other for other in values if is_true(condition(value, other))]
            if not meeting:
                continue
            found = True
            if unmatched is not None:
                unmatched.retain(other_timestamp, self._other_number, key, lambda other: not condition(value, other))
            later = max(timestamp, other_timestamp)
            for other in meeting:
                forward(key, joiner(key, value, other), later, headers)
        return found
