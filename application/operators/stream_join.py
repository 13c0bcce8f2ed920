"""Joining two streams in windows of event time.

Each side keeps its records for as long as one of the other side may still find them, so that no record is refused for being
late: a store lets go of what is older than its newest record by the whole window and the grace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from application.operators.context import Drop
from application.operators.joining import joiner_with_key
from application.operators.unmatched import LEFT, RIGHT, Unmatched

if TYPE_CHECKING:
    from application.operators.context import OperatorContext, StreamForward
    from application.operators.joining import Joined
    from application.ports.state_store import WindowStore
    from application.topology.join_nodes import StreamStreamJoinNode
    from application.topology.records import Headers


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
    return _entry(node.name, left, unmatched, context, forward), _entry(node.name, right, unmatched, context, forward)


def _entry(
    step: str, side: _Side, unmatched: Unmatched | None, context: OperatorContext, forward: StreamForward
) -> StreamForward:
    number, own, other, back, ahead, keeps_unmatched, joined = side
    other_number = RIGHT if number == LEFT else LEFT
    drop, time = context.drop, context.cell(f"{step}:stream-time")

    def without_partner(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if keeps_unmatched and value is not None:
            forward(key, joined(key, value, None), timestamp, headers)
        else:
            drop(step, Drop.NULL_VALUE if value is None else Drop.NULL_KEY, key, value, timestamp, headers)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        time.value = max(time.value, timestamp)
        if key is None or value is None:
            without_partner(key, value, timestamp, headers)
            return
        own.put(key, [*(own.fetch(key, timestamp) or ()), value], timestamp)
        if unmatched is not None and timestamp == time.value:
            unmatched.look(ahead, time.value, headers)
        last = max(0, timestamp + ahead)
        partners = other.fetch_range(key, max(0, timestamp - back), last)
        for partner_time, values in partners:
            if unmatched is not None:
                unmatched.found(partner_time, other_number, key)
            later = max(timestamp, partner_time)
            for partner in values:
                forward(key, joined(key, value, partner), later, headers)
        if not partners and keeps_unmatched and unmatched is not None:
            if last < time.value:
                without_partner(key, value, timestamp, headers)
            else:
                unmatched.hold(timestamp, number, key, value)

    return process
