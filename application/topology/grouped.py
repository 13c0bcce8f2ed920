"""Streams grouped by key, and grouped by key and window: what can be folded into tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from application.topology.errors import TopologyError
from application.topology.graph import Graph, explicit, require_types
from application.topology.nodes import AggregateNode, Node, WindowAggregateNode
from application.topology.stores import StoreKind, StoreSpec
from application.topology.types import UNKNOWN, returned_type
from application.topology.windows import EnumerableWindows, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")
W = TypeVar("W")


class _Foldable(Generic[K, V, W]):
    """What plain and windowed groups share; W is the key of the table that they fold into."""

    def __init__(self, graph: Graph, node: Node, *, origin: str, name: str | None, rekeyed: bool) -> None:
        self._graph = graph
        self._node = node
        self._origin = origin
        self._name = name
        self._rekeyed = rekeyed

    def count(self, *, store: str | None = None, name: str | None = None) -> Table[W, int]:
        """How many records each key has had, kept in `store`. Counts add up, so they are also merged."""
        return self._fold(
            "count", store, name, int, initializer=int, adder=_one_more, merge=_sum, with_key=False
        )

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        *,
        merge: Callable[[V, V], V] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[W, V]:
        """The values of each key combined: the first as it is, then `reducer(so far, value)`, kept in `store`.

        `merge` combines two results of the reducer, where that can be told (often the reducer itself); it must not matter
        in which groups values are combined.
        """
        return self._fold(
            "reduce", store, name, self._node.value_type, initializer=_nothing, adder=_Reduce(reducer), merge=merge, with_key=False
        )

    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[A, V], A],
        *,
        merge: Callable[[A, A], A] | None = None,
        value: type[A] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[W, A]: ...
    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[K, A, V], A],
        *,
        merge: Callable[[A, A], A] | None = None,
        value: type[A] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[W, A]: ...
    def aggregate(
        self,
        initializer: Callable[[], Any],
        adder: Callable[..., Any],
        *,
        merge: Callable[[Any, Any], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[W, Any]:
        """The records of each key folded: from `initializer()` on by `adder(aggregate, value)`, kept in `store`.

        With `with_key` the adder takes (key, aggregate, value). The adder gives a new aggregate and leaves the old one as it
        is. `merge` combines two aggregates of different records of a key, where that can be told; engines may then fold in
        parts. `value` is the aggregate's type, where the initializer's annotation does not tell it.
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

    def _fold(self, verb: str, store: str | None, name: str | None, value_type: object, **fold: Any) -> Table[W, Any]:
        store = store or f"{self._origin}-{verb}"
        if self._graph.has_store(store):
            msg = f"step '{name or store}' would fold into the store '{store}', which another step has; name it with store="
            raise TopologyError(msg)
        parent = self._partitioned(store)
        if value_type is UNKNOWN:
            msg = (
                f"the type that step '{name or store}' folds into is not known; "
                f"annotate what its initializer returns, or give value= to {verb}"
            )
            raise TopologyError(msg)
        require_types(parent, "is grouped")
        step = {"name": name or f"{store}-{verb}" if name or store != f"{self._origin}-{verb}" else store}
        node = self._graph.add(
            self._node_of(
                step["name"], parent, store, key_type=self._key_of(parent), value_type=value_type, stores=(store,), fold=fold
            )
        )
        self._graph.add_store(self._store_of(store, parent, value_type))
        table: Table[W, Any] = self._graph.handles.table(self._graph, node, origin=store, store=store)
        return table

    def _partitioned(self, store: str) -> Node:
        if not self._rekeyed:
            return self._node
        base = self._name or store
        source = f"{base}-repartition-source"
        if self._graph.has_node(source):
            return self._graph.node(source)
        return self._graph.repartition(self._node, base, None)

    def _key_of(self, parent: Node) -> object:
        return parent.key_type

    def _node_of(
        self, name: str, parent: Node, store: str, *, key_type: object, value_type: object, stores: tuple[str, ...], fold: Any
    ) -> AggregateNode:
        return AggregateNode(
            name=name, parents=(parent.name,), store=store, key_type=key_type, value_type=value_type, stores=stores, **fold
        )

    def _store_of(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return StoreSpec(name=store, kind=StoreKind.KEY_VALUE, key_type=parent.key_type, value_type=value_type)


class GroupedStream(_Foldable[K, V, K]):
    """A stream whose records are seen together by their key."""

    def windowed_by(self, windows: EnumerableWindows, *, retention_ms: int | None = None) -> WindowedStream[K, V]:
        """The group in windows of event time; `retention_ms` is how long the store keeps windows, by default size and grace."""
        least = windows.longest_ms + windows.grace_ms
        if retention_ms is not None and retention_ms < least:
            msg = f"a retention of {retention_ms} ms is shorter than size and grace of the window; keep at least {least} ms"
            raise TopologyError(msg)
        return WindowedStream(
            self._graph,
            self._node,
            origin=self._origin,
            name=self._name,
            rekeyed=self._rekeyed,
            windows=windows,
            retention_ms=retention_ms if retention_ms is not None else least,
        )


class WindowedStream(_Foldable[K, V, Windowed[K]]):
    """A stream whose records are seen together by their key and window."""

    def __init__(
        self,
        graph: Graph,
        node: Node,
        *,
        origin: str,
        name: str | None,
        rekeyed: bool,
        windows: EnumerableWindows,
        retention_ms: int,
    ) -> None:
        super().__init__(graph, node, origin=origin, name=name, rekeyed=rekeyed)
        self._windows = windows
        self._retention_ms = retention_ms

    def _key_of(self, parent: Node) -> object:
        return Windowed[parent.key_type]  # type: ignore[name-defined] # the type is a value here

    def _node_of(
        self, name: str, parent: Node, store: str, *, key_type: object, value_type: object, stores: tuple[str, ...], fold: Any
    ) -> AggregateNode:
        return WindowAggregateNode(
            name=name,
            parents=(parent.name,),
            store=store,
            key_type=key_type,
            value_type=value_type,
            stores=stores,
            windows=self._windows,
            **fold,
        )

    def _store_of(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return StoreSpec(
            name=store,
            kind=StoreKind.WINDOW,
            key_type=parent.key_type,
            value_type=value_type,
            retention_ms=self._retention_ms,
            windows=self._windows,
        )


def _one_more(count: int, _value: object) -> int:
    return count + 1


def _sum(one: int, other: int) -> int:
    return one + other


def _nothing() -> None:
    return None


class _Reduce:
    """An adder for `reduce`: the first value stands for itself."""

    __slots__ = ("reducer",)

    def __init__(self, reducer: Callable[[Any, Any], Any]) -> None:
        self.reducer = reducer

    def __call__(self, so_far: Any, value: Any) -> Any:
        return value if so_far is None else self.reducer(so_far, value)
