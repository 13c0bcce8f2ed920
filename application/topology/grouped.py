"""Streams grouped by key: what can be folded into tables, as a whole or in windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from eddyline.application.topology.cogrouped import CogroupedStream
from eddyline.application.topology.emit_strategy import EmitStrategy, on_window_update
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.event_windows import SessionWindows, SlidingWindows
from eddyline.application.topology.folding import MergeableFolding
from eddyline.application.topology.nodes import Closing
from eddyline.application.topology.windowed import SessionWindowedStream, WindowedStream
from eddyline.application.topology.windows import EnumerableWindows

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class GroupedStream(MergeableFolding[K, V, K]):
    """A stream whose records are seen together by their key."""

    @overload
    def windowed_by(
        self,
        windows: EnumerableWindows | SlidingWindows,
        *,
        retention_ms: int | None = None,
        emit_strategy: EmitStrategy | None = None,
    ) -> WindowedStream[K, V]: ...
    @overload
    def windowed_by(
        self, windows: SessionWindows, *, retention_ms: int | None = None, emit_strategy: EmitStrategy | None = None
    ) -> SessionWindowedStream[K, V]: ...
    def windowed_by(
        self,
        windows: EnumerableWindows | SlidingWindows | SessionWindows,
        *,
        retention_ms: int | None = None,
        emit_strategy: EmitStrategy | None = None,
    ) -> WindowedStream[K, V] | SessionWindowedStream[K, V]:
        """The group in windows of event time.

        `retention_ms` is how long the store keeps windows, by default as long as they can change. `emit_strategy` says when
        results leave: `on_window_update()`, the default, or `on_window_close()`.
        """
        least = windows.retention_ms
        if retention_ms is not None and retention_ms < least:
            msg = f"a retention of {retention_ms} ms is shorter than size and grace of the window; keep at least {least} ms"
            raise TopologyError(msg)
        kept = least if retention_ms is None else retention_ms
        strategy = emit_strategy or on_window_update()
        if strategy.on_close and windows.closes_after_ms is None:
            msg = f"the windows of '{self._origin}' are unlimited and never close; emit their results with on_window_update()"
            raise TopologyError(msg)
        group: dict[str, Any] = {
            "origin": self._origin,
            "name": self._name,
            "rekeyed": self._rekeyed,
            "retention_ms": kept,
            "closing": Closing(strategy.interval_ms, kept) if strategy.on_close else None,
        }
        if isinstance(windows, SessionWindows):
            return SessionWindowedStream(self._graph, self._node, windows=windows, **group)
        return WindowedStream(self._graph, self._node, windows=windows, **group)

    @overload
    def cogroup(self, adder: Callable[[A, V], A], *, with_key: Literal[False] = False) -> CogroupedStream[K, A]: ...
    @overload
    def cogroup(self, adder: Callable[[K, A, V], A], *, with_key: Literal[True]) -> CogroupedStream[K, A]: ...
    def cogroup(self, adder: Callable[..., A], *, with_key: bool = False) -> CogroupedStream[K, A]:
        """Begins a fold of several groups into one table; more join it with `.cogroup(grouped, adder)`.

        The adder takes (aggregate, value), with `with_key` (key, aggregate, value).
        """
        begun: CogroupedStream[K, A] = CogroupedStream(self._graph, self._origin)
        return begun.cogroup(self, adder, with_key=with_key)  # type: ignore[call-overload,no-any-return] # both forms are checked above
