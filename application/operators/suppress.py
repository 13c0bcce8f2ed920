"""Suppresses the updates of a table until their window closes, or for some time."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from eddyline.application.ports.key_order import key_order

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, TableForward
    from eddyline.application.topology.nodes import SuppressNode
    from eddyline.application.topology.records import Headers


class BufferFullError(RuntimeError):
    """The buffer of a suppression has more keys than its limit."""


def suppress(node: SuppressNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Buffer the latest update of each key, and forward it when its wait of `wait_ms` of stream time is over.

    The wait starts at the end of the key's window, or at the timestamp of the first buffered update. Stream time is the
    greatest timestamp of the operator's updates; wall-clock time does not matter. Updates are emitted in the order of the start
    of their wait, then of key and window, each with the timestamp of the latest update and the last value that was emitted as
    old value. If the wait is for windows, deletions are never emitted. If only the latest update per commit is emitted, waits
    that are over are looked for at commits.
    """
    buffer = _Buffer(node, context, forward)
    if not context.emits_latest:
        return buffer.add_and_emit
    context.on_commit(buffer.emit)
    return buffer.add


class _Buffer:
    """The buffered updates of one task; the queue is derived from the store, which may be restored."""

    def __init__(self, node: SuppressNode, context: OperatorContext, forward: TableForward) -> None:
        self._node = node
        self._store = context.store(node.store)
        self._stream_time = context.cell(node.name)
        self._forward = context.isolated(forward)
        self._undo = context.undo
        self._loaded: list[tuple[int, Any, Any]] | None = None

    def add_and_emit(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Buffer an update, then emit the updates whose wait is over."""
        self.add(key, new, old, timestamp, headers)
        self.emit()

    def add(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Buffer an update in place of an earlier one of its key."""
        queue = self._queue()
        self._stream_time.value = max(self._stream_time.value, timestamp)
        buffered = self._store.get(key)
        if buffered is None:
            start, last_emitted = key.window.end if self._node.by_window else timestamp, old
            if self._undo is not None:
                self._undo.append(self._forget)
            heappush(queue, (start, key_order(key), key))
        else:
            start, _, last_emitted, _, _ = buffered
        self._store.put(key, (start, new, last_emitted, timestamp, headers))

    def emit(self) -> None:
        """Emit the updates whose wait is over, and the oldest ones if the buffer is full.

        Raises:
            BufferFullError: If the buffer is full and its updates must not be emitted early.
        """
        queue, max_records = self._queue(), self._node.max_records
        latest_start = self._stream_time.value - self._node.wait_ms
        while queue and queue[0][0] <= latest_start:
            self._emit_one(heappop(queue)[-1])
        if max_records is None or len(queue) <= max_records:
            return
        if not self._node.emit_early:
            msg = (
                f"operator '{self._node.name}' buffers {len(queue)} keys, more than its max_records={max_records}; "
                "pass a greater max_records=, or None for no limit, or make the windows shorter"
            )
            raise BufferFullError(msg)
        while len(queue) > max_records:
            self._emit_one(heappop(queue)[-1])

    def _emit_one(self, key: Any) -> None:
        if self._undo is not None:
            self._undo.append(self._forget)
        _, new, last_emitted, timestamp, headers = self._store.delete(key)
        if new is not None or not self._node.by_window:
            self._forward(key, new, last_emitted, timestamp, headers)

    def _forget(self) -> None:
        """Load the queue again, since what was added or emitted is undone."""
        self._loaded = None

    def _queue(self) -> list[tuple[int, Any, Any]]:
        if self._loaded is None:
            self._loaded = [(buffered[0], key_order(key), key) for key, buffered in self._store.range()]
            heapify(self._loaded)
        return self._loaded
