"""The records of a join of streams that wait for a partner: they come out when their window and its grace have passed.

That moment is Kafka Streams' own, which looks late and seldom; what comes out in the end does not depend on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import NO_TIME

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.operators.joining import Joined
    from eddyline.application.topology.join_nodes import StreamStreamJoinNode
    from eddyline.application.topology.records import Headers

RIGHT, LEFT = 0, 1
"""The sides as the store orders them: right rows of a time before left ones."""

_NOTHING_HELD = NO_TIME


class Unmatched:
    """The waiting records of both sides, by time, side and key.

    How long a record waits follows from its side: the left for `after_ms`, the right for `before_ms`, both for the grace on
    top. `held since` is a time from which on there may be waiting records; until it has passed nobody looks. It need not be
    the time of the oldest: a look ends at the row after those that showed that either side's windows are still open.
    """

    def __init__(self, node: StreamStreamJoinNode, context: OperatorContext, joined: Joined, forward: StreamForward) -> None:
        windows = node.windows
        self._rows = context.store(node.unmatched_store or "")
        self._joined = joined
        self._forward = forward
        self._waits = {LEFT: windows.after_ms + windows.grace_ms, RIGHT: windows.before_ms + windows.grace_ms}
        self._grace_ms = windows.grace_ms
        self._emit_interval_ms = windows.emit_interval_ms
        self._wall_clock = context.current_system_time_ms
        self._held_since = context.cell(f"{node.name}:held-since")
        self._next_look = context.cell(f"{node.name}:next-look")

    def hold(self, timestamp: int, side: int, key: Any, value: Any) -> None:
        """Takes a record that has found no partner."""
        since = self._held_since.value
        if since == _NOTHING_HELD or timestamp < since:
            self._held_since.value = timestamp
        lefts, rights = self._rows.get((timestamp, side, key)) or ((), ())
        self._rows.put(
            (timestamp, side, key), ([*lefts, value], list(rights)) if side == LEFT else (list(lefts), [*rights, value])
        )

    def found(self, timestamp: int, side: int, key: Any) -> None:
        """Lets go of the records of this time, side and key: they have a partner now."""
        self._rows.delete((timestamp, side, key))

    def look(self, wait_ms: int, stream_time: int, headers: Headers) -> None:
        """Lets out what has waited long enough; `wait_ms` is the wait, without grace, of the side whose record moved the time."""
        wait = wait_ms + self._grace_ms
        since = self._held_since.value
        if wait == 0 if since == _NOTHING_HELD else since + wait >= stream_time:
            return
        if self._emit_interval_ms:
            now = self._wall_clock()
            if now < self._next_look.value:
                return
            self._next_look.value = now + self._emit_interval_ms
        self._held_since.value = _NOTHING_HELD
        open_sides: set[int] = set()
        for place, (lefts, rights) in self._rows.range():
            timestamp, side, key = place
            is_open = timestamp + self._waits[side] >= stream_time
            for value in lefts or rights:
                self._held_since.value = timestamp
                if len(open_sides) == len(self._waits):
                    return
                if is_open:
                    open_sides.add(side)
                elif side == LEFT:
                    self._forward(key, self._joined(key, value, None), timestamp, headers)
                else:
                    self._forward(key, self._joined(key, None, value), timestamp, headers)
            if not is_open:
                self._rows.delete(place)
