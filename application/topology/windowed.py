"""Streams grouped by key and window: what can be folded into windowed tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from eddyline.application.topology.event_windows import SessionWindows, SlidingWindows
from eddyline.application.topology.folding import Folding, MergeableFolding, Reduce, nothing
from eddyline.application.topology.graph import Graph, explicit
from eddyline.application.topology.nodes import AggregateNode, Closing, Node, WindowAggregateNode
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.types import returned_type
from eddyline.application.topology.window_nodes import SessionAggregateNode, SlidingAggregateNode
from eddyline.application.topology.windows import EnumerableWindows, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class WindowedStream(MergeableFolding[K, V, Windowed[K]]):
    """A stream whose records are seen together by their key and window."""

    def __init__(
        self,
        graph: Graph,
        node: Node,
        *,
        origin: str,
        name: str | None,
        rekeyed: bool,
        windows: EnumerableWindows | SlidingWindows,
        retention_ms: int,
        closing: Closing | None,
    ) -> None:
        super().__init__(graph, node, origin=origin, name=name, rekeyed=rekeyed)
        self._windows = windows
        self._retention_ms = retention_ms
        self._closing = closing

    def _key_of(self, parent: Node) -> object:
        return Windowed[parent.key_type]  # type: ignore[name-defined] # the type is a value here

    def _node_of(self, *, fold: Any, **step: Any) -> AggregateNode:
        if isinstance(self._windows, SlidingWindows):
            return SlidingAggregateNode(windows=self._windows, closing=self._closing, **step, **fold)
        return WindowAggregateNode(windows=self._windows, closing=self._closing, **step, **fold)

    def _store_of(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return StoreSpec(
            name=store,
            kind=StoreKind.WINDOW,
            key_type=parent.key_type,
            value_type=value_type,
            retention_ms=self._retention_ms,
            windows=self._windows,
        )


class SessionWindowedStream(Folding[K, V, Windowed[K]]):
    """A stream whose records are seen together by their key and session; results of sessions must be mergeable."""

    def __init__(
        self,
        graph: Graph,
        node: Node,
        *,
        origin: str,
        name: str | None,
        rekeyed: bool,
        windows: SessionWindows,
        retention_ms: int,
        closing: Closing | None,
    ) -> None:
        super().__init__(graph, node, origin=origin, name=name, rekeyed=rekeyed)
        self._windows = windows
        self._retention_ms = retention_ms
        self._closing = closing

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        *,
        merge: Callable[[V, V], V] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], V]:
        """The values of each session combined: the first as it is, then `reducer(so far, value)`, kept in `store`.

        `merge` combines the results of sessions that a record brings together; without it the reducer does.
        """
        return self._fold(
            "reduce",
            store,
            name,
            self._node.value_type,
            initializer=nothing,
            adder=Reduce(reducer),
            merge=Reduce(merge or reducer),
            with_key=False,
        )

    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[A, V], A],
        *,
        merge: Callable[[A, A], A],
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
        *,
        merge: Callable[[A, A], A],
        value: type[A] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], A]: ...
    def aggregate(
        self,
        initializer: Callable[[], Any],
        adder: Callable[..., Any],
        *,
        merge: Callable[[Any, Any], Any],
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], Any]:
        """The records of each session folded by `adder(aggregate, value)`, kept in `store`.

        A record that brings sessions together begins with `initializer()`, merges their aggregates into it by
        `merge(aggregate, session's)`, by their ends, and is then added. With `with_key` the adder takes (key, aggregate,
        value). `value` is the aggregate's type, where the initializer's annotation does not tell it.
        """
        return self._fold(
            "aggregate",
            store,
            name,
            explicit(value, returned_type(initializer)),
            initializer=initializer,
            adder=adder,
            merge=merge,
            with_key=with_key,
        )

    def _key_of(self, parent: Node) -> object:
        return Windowed[parent.key_type]  # type: ignore[name-defined] # the type is a value here

    def _node_of(self, *, fold: Any, **step: Any) -> AggregateNode:
        return SessionAggregateNode(windows=self._windows, closing=self._closing, **step, **fold)

    def _store_of(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return StoreSpec(
            name=store,
            kind=StoreKind.SESSION,
            key_type=parent.key_type,
            value_type=value_type,
            timestamped=False,
            retention_ms=self._retention_ms,
        )
