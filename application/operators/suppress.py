"""Suppresses the updates of a table until their window closes, or for some time."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, Final

from eddyline.application.operators.byte_size import byte_size
from eddyline.application.ports.key_order import key_order

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, TableForward
    from eddyline.application.topology.nodes import SuppressNode
    from eddyline.application.topology.records import Headers


_SIZE: Final = 5
"""The index of the size in a row of the buffer; only rows of a buffer with a limit in bytes have one."""

_FIXED_BYTES: Final = 28
"""The bytes of an update besides key, values, topic and headers: start of the wait, timestamp, offset and partition."""
_END_BYTES: Final = 8
"""The bytes of the end of a session, which Kafka Streams' `SessionKeySchema` writes after the key, beside its start."""


class BufferFullError(RuntimeError):
    """The buffer of a suppression has more keys or bytes than its limit."""


def suppress(node: SuppressNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Buffer the latest update of each key, and forward it when its wait of `wait_ms` of stream time is over.

    The wait starts at the end of the key's window, or at the timestamp of the first buffered update. Stream time is the
    greatest timestamp of the operator's updates; wall-clock time does not matter. Updates are emitted in the order of the start
    of their wait, then of key and window, each with the timestamp of the latest update and the last value that was emitted as
    old value. If the wait is for windows, deletions are never emitted. If only the latest update per commit is emitted, waits
    that are over are looked for at commits; the result of a closed window is emitted also if another one follows.
    """
    buffer = _Buffer(node, context, forward)
    context.keep_time(node.name, context.cell(node.name), buffer.emit)
    if not context.emits_latest:
        return buffer.add_and_emit
    context.on_commit(buffer.emit)
    return buffer.add_after_closed if node.by_window else buffer.add


class _Buffer:
    """The buffered updates of one task; the queue and the size are derived from the store, which may be restored."""

    def __init__(self, node: SuppressNode, context: OperatorContext, forward: TableForward) -> None:
        self._node = node
        self._store = context.store(node.store)
        self._stream_time = context.cell(node.name)
        self._forward = context.isolated(forward)
        self._undo = context.undo
        self._loaded: list[tuple[int, Any, Any]] | None = None
        self._bytes = 0
        self._fixed_bytes = _FIXED_BYTES + (_END_BYTES if node.sessions else 0)
        self._context = context
        context.on_restore(self._forget)

    def add_and_emit(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Buffer an update, then emit the updates whose wait is over."""
        self.add(key, new, old, timestamp, headers)
        self.emit()

    def add_after_closed(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Buffer an update; if the window has closed, the update of it that is buffered is emitted before."""
        buffered = self._store.get(key)
        if buffered is not None and buffered[0] <= self._stream_time.value - self._node.wait_ms:
            self.emit()
        self.add(key, new, old, timestamp, headers)

    def add(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Buffer an update in place of an earlier one of its key."""
        queue = self._queue()
        self._stream_time.value = max(self._stream_time.value, timestamp)
        buffered = self._store.get(key)
        if self._undo is not None and (buffered is None or self._node.max_bytes is not None):
            self._undo.append(self._forget)
        if buffered is None:
            start, last_emitted = key.window.end if self._node.by_window else timestamp, old
            heappush(queue, (start, key_order(key), key))
        else:
            start, _, last_emitted = buffered[:3]
        row: tuple[Any, ...] = (start, new, last_emitted, timestamp, headers)
        if self._node.max_bytes is not None:
            size = self._size(key, new, old, last_emitted, headers)
            self._bytes += size if buffered is None else size - buffered[_SIZE]
            row = (*row, size)
        self._store.put(key, row)

    def emit(self) -> None:
        """Emit the updates whose wait is over, and the oldest ones if the buffer is full.

        Raises:
            BufferFullError: If the buffer is full and its updates must not be emitted early.
        """
        queue = self._queue()
        latest_start = self._stream_time.value - self._node.wait_ms
        while queue and queue[0][0] <= latest_start:
            self._emit_one(heappop(queue)[-1])
        if not self._is_full(queue):
            return
        if not self._node.emit_early:
            raise BufferFullError(self._full(len(queue)))
        while queue and self._is_full(queue):
            self._emit_one(heappop(queue)[-1])

    def _is_full(self, queue: list[tuple[int, Any, Any]]) -> bool:
        max_records, max_bytes = self._node.max_records, self._node.max_bytes
        return (max_records is not None and len(queue) > max_records) or (max_bytes is not None and self._bytes > max_bytes)

    def _full(self, keys: int) -> str:
        """Return the message of the error that the buffer is full."""
        node = self._node
        if node.max_bytes is not None and self._bytes > node.max_bytes:
            found, name, limit = f"{self._bytes} bytes", "max_bytes", node.max_bytes
        else:
            found, name, limit = f"{keys} keys", "max_records", node.max_records or 0
        return (
            f"operator '{node.name}' buffers {found}, more than its {name}={limit}; "
            f"pass a greater {name}=, or None for no limit, or make the windows shorter"
        )

    def _size(self, key: Any, new: Any, old: Any, last_emitted: Any, headers: Headers) -> int:
        """Return the size of a buffered update in bytes, as `InMemoryTimeOrderedKeyValueChangeBuffer` estimates it."""
        metadata = self._context.metadata
        size = self._fixed_bytes + byte_size(key) + byte_size(new) + byte_size(last_emitted)
        if old != last_emitted:
            size += byte_size(old)
        if metadata is not None:
            size += len(metadata.topic)
        return size + sum(len(name) + byte_size(value) for name, value in headers)

    def _emit_one(self, key: Any) -> None:
        if self._undo is not None:
            self._undo.append(self._forget)
        row = self._store.delete(key)
        _, new, last_emitted, timestamp, headers = row[:_SIZE]
        if self._node.max_bytes is not None:
            self._bytes -= row[_SIZE]
        if new is not None or not self._node.by_window:
            self._forward(key, new, last_emitted, timestamp, headers)

    def _forget(self) -> None:
        """Load the queue again, since the store was restored, or what was added or emitted is undone."""
        self._loaded = None

    def _queue(self) -> list[tuple[int, Any, Any]]:
        if self._loaded is None:
            rows = list(self._store.range())
            self._loaded = [(buffered[0], key_order(key), key) for key, buffered in rows]
            heapify(self._loaded)
            if self._node.max_bytes is not None:
                self._bytes = sum(buffered[_SIZE] for _, buffered in rows)
        return self._loaded
