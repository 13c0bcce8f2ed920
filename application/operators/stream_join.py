"""Joining two streams in windows of event time.

Each side keeps its records for as long as one of the other side may still find them, so that no record is refused for being
late: a store lets go of what is older than its newest record by the whole window and the grace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from eddyline.application.operators.context import Drop
from eddyline.application.operators.joining import joiner_with_key
from eddyline.application.operators.unmatched import LEFT, RIGHT, Unmatched

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.operators.joining import Joined
    from eddyline.application.ports.state_store import WindowStore
    from eddyline.application.topology.join_nodes import StreamStreamJoinNode
    from eddyline.application.topology.records import Headers


class _Side(NamedTuple):
    """One side: what it keeps, how far back and ahead of its records the other side's lie, whether unmatched ones come out.

    `joined` takes (key, this, other).
    """

    number: int
    own: WindowStore[Any, list[Any]]
    other: WindowStore[Any, list[Any]]
    back_ms: int
    ahead_ms: int
    keeps_unmatched: bool
    joined: Joined


def join_streams(
    node: StreamStreamJoinNode, context: OperatorContext, forward: StreamForward
) -> tuple[StreamForward, StreamForward]:
    """The entries of the left and of the right stream.

    Partners are met in the order of their times, then of their arrival, and a pair has the greater time of the two. A null
    value is dropped. A null key has no partner: it is dropped, or comes out unmatched at once where its side's records do.
    """
    windows, kind = node.windows, node.kind
    left_store, right_store = context.store(node.left_store), context.store(node.right_store)
    joined = joiner_with_key(node.joiner, with_key=node.with_key)

    def of_right(key: Any, right: Any, left: Any) -> Any:
        return joined(key, left, right)

    left = _Side(LEFT, left_store, right_store, windows.before_ms, windows.after_ms, kind.keeps_left, joined)
    right = _Side(RIGHT, right_store, left_store, windows.after_ms, windows.before_ms, kind.keeps_right, of_right)
    unmatched = None
    if node.unmatched_store is not None:
        unmatched = Unmatched(node, context, joined, forward)
    return (
        _Entry(node.name, left, unmatched, context, forward).process,
        _Entry(node.name, right, unmatched, context, forward).process,
    )


class _Entry:
    """Takes the records of one side; the stream time is that of both."""

    def __init__(
        self, step: str, side: _Side, unmatched: Unmatched | None, context: OperatorContext, forward: StreamForward
    ) -> None:
        self._step = step
        self._side = side
        self._other_number = RIGHT if side.number == LEFT else LEFT
        self._unmatched = unmatched
        self._time = context.cell(f"{step}:stream-time")
        self._drop = context.drop
        self._forward = forward

    def process(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Takes one record to its end."""
        self._time.value = max(self._time.value, timestamp)
        if key is None or value is None:
            self._without_partner(key, value, timestamp, headers)
            return
        side, unmatched = self._side, self._unmatched
        side.own.put(key, [*(side.own.fetch(key, timestamp) or ()), value], timestamp)
        if unmatched is not None and timestamp == self._time.value:
            unmatched.look(side.ahead_ms, timestamp, headers)
        last = max(0, timestamp + side.ahead_ms)
        if self._meet(key, value, timestamp, headers, last) or not side.keeps_unmatched or unmatched is None:
            return
        if last < self._time.value:
            self._without_partner(key, value, timestamp, headers)
        else:
            unmatched.hold(timestamp, side.number, key, value)

    def _meet(self, key: Any, value: Any, timestamp: int, headers: Headers, last: int) -> bool:
        """Forwards the pairs with all partners up to the time `last`; whether there are any."""
        side, unmatched, forward, joined = self._side, self._unmatched, self._forward, self._side.joined
        partners = side.other.fetch_range(key, max(0, timestamp - side.back_ms), last)
        for partner_time, values in partners:
            if unmatched is not None:
                unmatched.found(partner_time, self._other_number, key)
            later = max(timestamp, partner_time)
            for partner in values:
                forward(key, joined(key, value, partner), later, headers)
        return bool(partners)

    def _without_partner(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        side = self._side
        if side.keeps_unmatched and value is not None:
            self._forward(key, side.joined(key, value, None), timestamp, headers)
        else:
            reason = Drop.NULL_VALUE if value is None else Drop.NULL_KEY
            self._drop(self._step, reason, key, value, timestamp, headers)
