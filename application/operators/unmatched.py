"""The records of a stream-stream join that have no match yet: emitted when their window and its grace period are over.

They are emitted at the same moments as in Kafka Streams, which checks late and seldom; the final result is the same anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.operators.joiners import JoinerWithKey
    from eddyline.application.topology.nodes import StreamStreamJoinNode
    from eddyline.application.topology.records import Headers

RIGHT, LEFT = 0, 1
"""The sides in the order of the store: right records of a timestamp come before left ones."""

_EMPTY = NO_TIME


class UnmatchedRecords:
    """The unmatched records of both sides, by timestamp, side and key.

    How long a record waits depends on its side: the left for `after_ms`, the right for `before_ms`, both plus the grace period.
    The cell `held-since` is a lower bound of the timestamps of unmatched records; nothing is checked until its wait is over. It
    need not be the timestamp of the oldest record: a check ends one row after both sides were found to have open windows.
    """

    def __init__(
        self, node: StreamStreamJoinNode, context: OperatorContext, joiner: JoinerWithKey, forward: StreamForward
    ) -> None:
        windows = node.windows
        self._store = context.store(node.unmatched_store or "")
        self._joiner = joiner
        self._forward = forward
        self._emit = context.isolated(self._forward_unmatched)
        self._waits_ms = {LEFT: windows.after_ms + windows.grace_ms, RIGHT: windows.before_ms + windows.grace_ms}
        self._grace_ms = windows.grace_ms
        self._emit_interval_ms = windows.emit_interval_ms
        self._wall_clock = context.current_system_time_ms
        self._stream_time = context.cell(f"{node.name}:stream-time")
        self._lower_bound = context.cell(f"{node.name}:held-since")
        self._next_check = context.cell(f"{node.name}:next-look")

    def add(self, timestamp: int, side: int, key: Any, value: Any) -> None:
        """Add a record that has no match."""
        lower_bound = self._lower_bound.value
        if lower_bound == _EMPTY or timestamp < lower_bound:
            self._lower_bound.value = timestamp
        store_key = (timestamp, side, key)
        lefts, rights = self._store.get(store_key) or ((), ())
        self._store.put(store_key, ([*lefts, value], list(rights)) if side == LEFT else (list(lefts), [*rights, value]))

    def remove(self, timestamp: int, side: int, key: Any) -> None:
        """Remove the records of a timestamp, side and key, which have a match now."""
        self._store.delete((timestamp, side, key))

    def retain(self, timestamp: int, side: int, key: Any, predicate: Callable[[Any], bool]) -> None:
        """Remove the records of a timestamp, side and key that have a match now; keep those whose values meet the predicate."""
        found = self._store.get((timestamp, side, key))
        if found is None:
            return
        values = [value for value in found[0] or found[1] if predicate(value)]
        if values:
            self._store.put((timestamp, side, key), (values, []) if side == LEFT else ([], values))
        else:
            self._store.delete((timestamp, side, key))

    def emit_all_expired(self) -> None:
        """Emit the records of both sides whose wait is over, without a record that advanced stream time."""
        self.emit_expired(min(self._waits_ms.values()) - self._grace_ms, self._stream_time.value, ())

    def emit_expired(self, wait_ms: int, stream_time: int, headers: Headers) -> None:
        """Emit the records whose wait is over; `wait_ms` is the wait, without grace, of the side that advanced stream time."""
        wait_with_grace = wait_ms + self._grace_ms
        lower_bound = self._lower_bound.value
        if wait_with_grace == 0 if lower_bound == _EMPTY else lower_bound + wait_with_grace >= stream_time:
            return
        if self._emit_interval_ms:
            now = self._wall_clock()
            if self._next_check.value - self._emit_interval_ms <= now < self._next_check.value:
                return  # an earlier time means that the clock was set back
            self._next_check.value = now + self._emit_interval_ms
        self._lower_bound.value = _EMPTY
        open_sides: set[int] = set()
        for store_key, (lefts, rights) in self._store.range():
            timestamp, side, key = store_key
            is_open = timestamp + self._waits_ms[side] >= stream_time
            for value in lefts or rights:
                self._lower_bound.value = timestamp
                if len(open_sides) == len(self._waits_ms):
                    return
                if is_open:
                    open_sides.add(side)
                else:
                    self._emit(side, key, value, timestamp, headers)
            if not is_open:
                self._store.delete(store_key)

    def _forward_unmatched(self, side: int, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        joined = self._joiner(key, value, None) if side == LEFT else self._joiner(key, None, value)
        self._forward(key, joined, timestamp, headers)
