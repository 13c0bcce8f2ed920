"""Holding a table's updates back until their window is closed, or for some time."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from eddyline.application.ports.key_order import key_order

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, TableForward
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.window_nodes import SuppressNode


class BufferFullError(RuntimeError):
    """More keys are held back than the step may hold; the message names the step, the bound and the cure."""


def suppress(node: SuppressNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Keeps the latest update of each key, and forwards it when stream time is `wait_ms` past the time at which it waits from.

    That is the end of its window, or the time of the first update that is held. Stream time is the greatest timestamp of the
    updates that came here; the wall clock counts for nothing. Updates leave by that time, then key, then window start, each
    with the timestamp of the latest and the value that had left before. Where windows are waited for, deletions never leave.
    Where only the latest update of a commit leaves a step, what has waited long enough is looked for at the commit.
    """
    buffer = _Buffer(node, context, forward)
    if not context.emits_latest:
        return buffer.hold_and_release
    context.on_commit(buffer.release)
    return buffer.hold


class _Buffer:
    """What one task holds back; the order in which it leaves is made from the store, and again after a restart."""

    def __init__(self, node: SuppressNode, context: OperatorContext, forward: TableForward) -> None:
        self._node = node
        self._store = context.store(node.store)
        self._time = context.cell(node.name)
        self._forward = forward
        self._waiting: list[tuple[int, Any, Any]] | None = None

    def hold_and_release(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Takes an update, and lets out what has waited long enough."""
        self.hold(key, new, old, timestamp, headers)
        self.release()

    def hold(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Takes an update in place of the key's earlier one."""
        waiting = self._order()
        self._time.value = max(self._time.value, timestamp)
        held = self._store.get(key)
        if held is None:
            since, before = key.window.end if self._node.by_window else timestamp, old
            heappush(waiting, (since, key_order(key), key))
        else:
            since, _, before, _, _ = held
        self._store.put(key, (since, new, before, timestamp, headers))

    def release(self) -> None:
        """Lets out what has waited long enough, and what there is no room for. Raises BufferFullError."""
        waiting, most = self._order(), self._node.max_records
        long_enough = self._time.value - self._node.wait_ms
        while waiting and waiting[0][0] <= long_enough:
            self._leave(heappop(waiting)[-1])
        if most is None or len(waiting) <= most:
            return
        if not self._node.emit_early:
            msg = (
                f"step '{self._node.name}' holds {len(waiting)} keys back, but may hold {most}; "
                "give it a greater max_records, or none, or shorter windows"
            )
            raise BufferFullError(msg)
        while len(waiting) > most:
            self._leave(heappop(waiting)[-1])

    def _leave(self, key: Any) -> None:
        _, new, before, timestamp, headers = self._store.delete(key)
        if new is not None or not self._node.by_window:
            self._forward(key, new, before, timestamp, headers)

    def _order(self) -> list[tuple[int, Any, Any]]:
        if self._waiting is None:
            self._waiting = [(held[0], key_order(key), key) for key, held in self._store.range()]
            heapify(self._waiting)
        return self._waiting
