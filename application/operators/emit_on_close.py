"""Emits the final result of each window once, when the window closes."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.application.operators.value_getters import getter_of
from eddyline.application.ports.key_order import key_order
from eddyline.application.topology.nodes import StoredValueGetter
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.windows import SessionWindows, Window, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import (
        EmitOnClose,
        SessionAggregateNode,
        SlidingAggregateNode,
        WindowAggregateNode,
    )
    from eddyline.application.topology.records import Headers

_AggregateNode: TypeAlias = "WindowAggregateNode | SlidingAggregateNode | SessionAggregateNode"


def final_results(
    node: _AggregateNode, context: OperatorContext, forward: TableForward, newest: Callable[[int], int] = int
) -> FinalResults | None:
    """Return what emits the final results of a node, None if the node emits every update.

    `newest` returns, for the timestamp of a record, the newest time that the record adds to the store, which decides what
    expires there.
    """
    windows, closes_after_ms = node.windows, node.windows.closes_after_ms
    if node.emit_on_close is None or closes_after_ms is None:
        return None
    if isinstance(windows, SessionWindows):
        return _FinalSessions(node, node.emit_on_close, context, forward, closes_after_ms=closes_after_ms + 1, newest=newest)
    return FinalResults(node, node.emit_on_close, context, forward, closes_after_ms=closes_after_ms, newest=newest)


class FinalResults:
    """Remembers which windows have a result, and emits the result of each when the window closes.

    A window closes when stream time is `closes_after_ms` or more past its end. Closed windows are emitted by start, then by
    key: with every record, or at the node's minimum interval of wall-clock time. Windows that would expire in the store before
    the interval is over are emitted before that.
    """

    kind = StoreKind.WINDOW

    def __init__(
        self,
        node: _AggregateNode,
        options: EmitOnClose,
        context: OperatorContext,
        forward: TableForward,
        *,
        closes_after_ms: int,
        newest: Callable[[int], int],
    ) -> None:
        self._windows: Any = node.windows
        self._context = context
        self._forward = context.isolated(forward)
        self._undo = context.undo
        self._store = context.store(node.store)
        self._get = getter_of(StoredValueGetter(node.store, self.kind), context)
        self._newest = newest
        self._closes_after_ms = closes_after_ms
        self._interval_ms = options.interval_ms
        self._retention_ms = options.retention_ms
        self._stream_time = context.cell(node.name)
        self._closed = context.cell(f"{node.name}:closed")
        self._next_emission = context.cell(f"{node.name}:next-look") if self._interval_ms else None
        self._loaded: set[Windowed[Any]] | None = None
        self._queue: list[tuple[Any, Windowed[Any]]] = []
        context.on_restore(self._forget)

    def update(self, key: Windowed[Any], new: Any, _old: Any, _timestamp: int, _headers: Headers) -> None:
        """Remember that a window has a result, instead of emitting the update."""
        pending = self._pending()
        if new is not None and key not in pending:
            if self._undo is not None:
                self._undo.append(self._forget)
            pending.add(key)
            heappush(self._queue, (self._rank(key), key))

    def emit_expiring(self, timestamp: int, headers: Headers) -> None:
        """Emit the results that expire in the store when a record with this timestamp is added."""
        self._pending()
        if self._queue and self._queue[0][0][0] <= timestamp - self._retention_ms:
            expired = self._newest(timestamp) - self._retention_ms
            while self._queue and self._queue[0][0][0] <= expired:
                self._emit_next(headers)

    def emit_closed(self, headers: Headers) -> None:
        """Emit the results of closed windows, if the minimum interval since the last emission is over."""
        if self._next_emission is not None:
            now = self._context.current_system_time_ms()
            if self._next_emission.value - self._interval_ms <= now < self._next_emission.value:
                return  # an earlier time means that the clock was set back
            self._next_emission.value = now + self._interval_ms
        self._closed.value = self._stream_time.value - self._closes_after_ms
        while self._queue and self._queue[0][1].window.end <= self._closed.value:
            self._emit_next(headers)

    def emit(self) -> None:
        """Emit the results of windows that have closed without a record."""
        self._pending()
        self.emit_closed(())

    def wrap(self, process: StreamForward, *, null_values: bool) -> StreamForward:
        """Return the aggregation with its results emitted before and after each record that it accepts.

        `null_values` tells whether it accepts records with a null value; it never accepts a null key.
        """
        emit_expiring, emit_closed = self.emit_expiring, self.emit_closed

        def process_and_emit(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
            if key is None or (value is None and not null_values):
                process(key, value, timestamp, headers)
                return
            emit_expiring(timestamp, headers)
            process(key, value, timestamp, headers)
            emit_closed(headers)

        return process_and_emit

    def _emit_next(self, headers: Headers) -> None:
        if self._undo is not None:
            self._undo.append(self._forget)
        _, key = heappop(self._queue)
        self._pending().discard(key)
        row = self._get(key)
        if row is not None:
            self._forward(key, row[0], None, row[1], headers)

    def _pending(self) -> set[Windowed[Any]]:
        """Return the windows that were not emitted yet; at first they are loaded from the store, which may be restored."""
        if self._loaded is None:
            self._loaded = {key for key in self._stored_keys() if key.window.end > self._closed.value}
            self._queue = [(self._rank(key), key) for key in self._loaded]
            heapify(self._queue)
        return self._loaded

    def _forget(self) -> None:
        """Load the windows again, since the store was restored, or those that were added or emitted are undone."""
        self._loaded = None

    def _stored_keys(self) -> Iterator[Windowed[Any]]:
        """Return all keys and windows that have a result."""
        return (Windowed(key, self._windows.window_at(start)) for (key, start), _ in self._store.snapshot())

    def _rank(self, key: Windowed[Any]) -> tuple[Any, ...]:
        """Return what windows are ordered by when they are emitted; first the time by which they expire in the store."""
        return key.window.start, key_order(key.key)


class _FinalSessions(FinalResults):
    """Emits closed sessions by end, then by start, then by key."""

    kind = StoreKind.SESSION

    def _stored_keys(self) -> Iterator[Windowed[Any]]:
        return (Windowed(key, Window(start, end)) for (key, start, end), _ in self._store.snapshot())

    def _rank(self, key: Windowed[Any]) -> tuple[Any, ...]:
        return key.window.end, key.window.start, key_order(key.key)
