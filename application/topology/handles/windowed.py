"""Streams that are grouped by key and window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, overload

from eddyline.application.topology.aggregations import Aggregation
from eddyline.application.topology.aggregations.fold import Fold, ReduceAdder, reduction
from eddyline.application.topology.handles.aggregations import Aggregations, MergeableAggregations
from eddyline.application.topology.handles.ready_made import initializer_and_adder
from eddyline.application.topology.nodes import (
    AggregateNode,
    EmitOnClose,
    Node,
    SessionAggregateNode,
    SlidingAggregateNode,
    WindowAggregateNode,
)
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.types import aggregate_type, explicit_or
from eddyline.application.topology.windows import EnumerableWindows, SessionWindows, SlidingWindows, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.graph import StreamRef
    from eddyline.application.topology.handles.dsl_graph import DslGraph
    from eddyline.application.topology.handles.table import Table

KEPT_LONGER_MS: Final = 1
"""How much longer the stores of windows that are emitted on close keep them, as in Kafka Streams.

Its stores hide windows that start at or before the newest start minus the retention, those of windows emitted on close only
windows that start before it (`AbstractDualSchemaRocksDBSegmentedBytesStore`). Sessions are found that long when they are merged
and emitted, but not when they are read by key.
"""

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class WindowedStream(MergeableAggregations[K, V, Windowed[K]]):
    """A stream that is grouped by key and window, to be aggregated into a windowed table."""

    def __init__(
        self,
        graph: DslGraph,
        parent: StreamRef,
        *,
        name: str | None,
        windows: EnumerableWindows | SlidingWindows,
        retention_ms: int,
        emit_on_close: EmitOnClose | None,
    ) -> None:
        super().__init__(graph, parent, name=name)
        self._windows = windows
        self._retention_ms = retention_ms
        self._emit_on_close = emit_on_close

    def _key_type(self, parent: Node) -> object:
        return Windowed[parent.key_type]  # type: ignore[name-defined] # the type is a value here

    def _node(self, **fields: Any) -> AggregateNode:
        if isinstance(self._windows, SlidingWindows):
            return SlidingAggregateNode(windows=self._windows, emit_on_close=self._emit_on_close, **fields)
        return WindowAggregateNode(windows=self._windows, emit_on_close=self._emit_on_close, **fields)

    def _store_spec(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return StoreSpec(
            name=store,
            kind=StoreKind.WINDOW,
            key_type=parent.key_type,
            value_type=value_type,
            retention_ms=self._retention_ms + (0 if self._emit_on_close is None else KEPT_LONGER_MS),
            windows=self._windows,
        )


class SessionWindowedStream(Aggregations[K, V, Windowed[K]]):
    """A stream that is grouped by key and session; results must be mergeable, since a new record may connect sessions."""

    _merges_in_order = True

    def __init__(
        self,
        graph: DslGraph,
        parent: StreamRef,
        *,
        name: str | None,
        windows: SessionWindows,
        retention_ms: int,
        emit_on_close: EmitOnClose | None,
    ) -> None:
        super().__init__(graph, parent, name=name)
        self._windows = windows
        self._retention_ms = retention_ms
        self._emit_on_close = emit_on_close

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        *,
        merge: Callable[[V, V], V] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], V]:
        """Combine the values of each session; the first value is the first aggregate.

        Args:
            reducer: Returns the next aggregate for (aggregate, value).
            merge: Combines the aggregates of sessions that a new record connects, by default the reducer.
            store: The name of the table's store, by default derived from the stream, such as `views-reduce`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the stream are unknown, or a name is invalid or already used.
        """
        fold = reduction(reducer, ReduceAdder(merge or reducer), in_order=True)
        return self._aggregate("reduce", store, name, self._parent.node.value_type, fold)

    @overload
    def aggregate(
        self, aggregation: Aggregation[V, A], /, *, store: str | None = None, name: str | None = None
    ) -> Table[Windowed[K], A]: ...
    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[A, V], A],
        merge: Callable[[A, A], A],
        *,
        value: type[A] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], A]: ...
    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[K, A, V], A],
        merge: Callable[[A, A], A],
        *,
        value: type[A] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], A]: ...
    def aggregate(
        self,
        initializer: Callable[[], Any] | Aggregation[V, Any],
        adder: Callable[..., Any] | None = None,
        merge: Callable[[Any, Any], Any] | None = None,
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], Any]:
        """Aggregate the values of each session.

        If a record connects sessions, their aggregates are merged into a new one from `initializer`, in the order of the
        sessions' ends, and the record is added last.

        Args:
            initializer: Returns the first aggregate of a session; or, alone, a ready-made aggregation of `eddyline.aggregations`.
            adder: Returns the next aggregate for (aggregate, value); it may change its arguments.
            merge: Combines the aggregates of two sessions; required with `adder`.
            value: The type of the aggregate, by default from the annotated return types of initializer and adder.
            with_key: Whether the adder takes (key, aggregate, value).
            store: The name of the table's store, by default derived from the stream, such as `views-aggregate`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the stream or of the aggregate are unknown, or a name is invalid or already used.
        """
        if isinstance(initializer, Aggregation):
            return self._ready_made(initializer, store, name)
        begin, add = initializer_and_adder(initializer, adder)
        if merge is None:
            msg = "aggregate(…) of session windows takes merge=, a function of two aggregates: a new record may connect sessions"
            raise TypeError(msg)
        value_type = explicit_or(value, aggregate_type(begin, add, merge))
        fold = Fold(begin, add, merge, in_order=True, with_key=with_key)
        return self._aggregate("aggregate", store, name, value_type, fold)

    def _key_type(self, parent: Node) -> object:
        return Windowed[parent.key_type]  # type: ignore[name-defined] # the type is a value here

    def _node(self, **fields: Any) -> AggregateNode:
        return SessionAggregateNode(windows=self._windows, emit_on_close=self._emit_on_close, **fields)

    def _store_spec(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return StoreSpec(
            name=store,
            kind=StoreKind.SESSION,
            key_type=parent.key_type,
            value_type=value_type,
            timestamped=False,
            retention_ms=self._retention_ms,
            kept_longer_ms=0 if self._emit_on_close is None else KEPT_LONGER_MS,
        )
