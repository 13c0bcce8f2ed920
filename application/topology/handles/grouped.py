"""Streams that are grouped by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.handles.aggregations import MergeableAggregations
from eddyline.application.topology.handles.arguments import checked, windows_of
from eddyline.application.topology.handles.cogrouped import CogroupedStream, Part
from eddyline.application.topology.handles.windowed import KEPT_LONGER_MS, SessionWindowedStream, WindowedStream
from eddyline.application.topology.nodes import EmitOnClose
from eddyline.application.topology.windows import (
    Duration,
    EmitStrategy,
    EnumerableWindows,
    SessionWindows,
    SlidingWindows,
    milliseconds,
    on_window_update,
)

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class GroupedStream(MergeableAggregations[K, V, K]):
    """A stream that is grouped by key, to be aggregated into a table, windowed or cogrouped."""

    @overload
    def windowed_by(
        self,
        windows: EnumerableWindows | SlidingWindows,
        *,
        retention_ms: Duration | None = None,
        emit_strategy: EmitStrategy | None = None,
    ) -> WindowedStream[K, V]: ...
    @overload
    def windowed_by(
        self, windows: SessionWindows, *, retention_ms: Duration | None = None, emit_strategy: EmitStrategy | None = None
    ) -> SessionWindowedStream[K, V]: ...
    def windowed_by(
        self,
        windows: EnumerableWindows | SlidingWindows | SessionWindows,
        *,
        retention_ms: Duration | None = None,
        emit_strategy: EmitStrategy | None = None,
    ) -> WindowedStream[K, V] | SessionWindowedStream[K, V]:
        """Group the records of each key by windows of event time.

        Args:
            windows: What `tumbling`, `hopping`, `sliding`, `session`, `calendar_days` or `unlimited` return.
            retention_ms: How long the store keeps windows (ms, a timedelta or text such as `1h`); by default until they close.
            emit_strategy: When results are emitted: `on_window_update()`, the default, or `on_window_close()`.

        Raises:
            TopologyError: If the retention is too short, or results of unlimited windows are to be emitted on close.
        """
        shortest = windows_of(windows, self._parent.origin).retention_ms
        kept = None if retention_ms is None else milliseconds(retention_ms, f"the retention of '{self._parent.origin}'")
        if kept is not None and kept < shortest:
            msg = (
                f"a retention of {kept} ms would drop windows of '{self._parent.origin}' that can still change; "
                f"pass retention_ms={shortest} or more"
            )
            raise TopologyError(msg)
        retention = shortest if kept is None else kept
        what, fix = f"emit_strategy= of windowed_by of stream '{self._parent.origin}'", "pass what on_window_close(…) returns"
        strategy = on_window_update() if emit_strategy is None else checked(emit_strategy, EmitStrategy, what, fix)
        if strategy.on_close and windows.closes_after_ms is None:
            msg = (
                f"the windows of '{self._parent.origin}' are unlimited and never close, so on_window_close() would emit nothing; "
                "pass emit_strategy=on_window_update()"
            )
            raise TopologyError(msg)
        options: dict[str, Any] = {
            "name": self._name,
            "retention_ms": retention,
            "emit_on_close": EmitOnClose(strategy.interval_ms, retention + KEPT_LONGER_MS) if strategy.on_close else None,
        }
        if isinstance(windows, SessionWindows):
            return SessionWindowedStream(self._graph, self._parent, windows=windows, **options)
        return WindowedStream(self._graph, self._parent, windows=windows, **options)

    @overload
    def cogroup(self, adder: Callable[[A, V], A], *, with_key: Literal[False] = False) -> CogroupedStream[K, A]: ...
    @overload
    def cogroup(self, adder: Callable[[K, A, V], A], *, with_key: Literal[True]) -> CogroupedStream[K, A]: ...
    def cogroup(self, adder: Callable[..., A], *, with_key: bool = False) -> CogroupedStream[K, A]:
        """Begin to aggregate several grouped streams into one table; add more with `.cogroup(grouped, adder)`.

        Args:
            adder: Returns the next aggregate for (aggregate, value).
            with_key: Whether the adder takes (key, aggregate, value).
        """
        return CogroupedStream(self._graph, self._parent.origin, (Part(self, adder, with_key),))
