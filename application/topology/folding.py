"""Folding records into tables: what plain groups and groups in windows share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Graph, explicit, require_types
from eddyline.application.topology.nodes import AggregateNode, Node
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.types import UNKNOWN, returned_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")
W = TypeVar("W")


class Folding(Generic[K, V, W]):
    """A group of records that can be counted; W is the key of the table that it folds into."""

    def __init__(self, graph: Graph, node: Node, *, origin: str, name: str | None, rekeyed: bool) -> None:
        self._graph = graph
        self._node = node
        self._origin = origin
        self._name = name
        self._rekeyed = rekeyed

    def count(self, *, store: str | None = None, caching: bool = True, name: str | None = None) -> Table[W, int]:
        """How many records each key has had, kept in `store`. Counts add up, so they are also merged.

        Without `caching` every count leaves, one by one, also where else only the latest of a commit does: for what must not
        miss a number.
        """
        return self._fold(
            "count", store, name, int, initializer=int, adder=_one_more, merge=_sum, with_key=False, caching=caching
        )

    def _fold(self, verb: str, store: str | None, name: str | None, value_type: object, **fold: Any) -> Table[W, Any]:
        store = store or f"{self._origin}-{verb}"
        if self._graph.has_store(store):
            msg = f"step '{name or store}' would fold into the store '{store}', which another step has; name it with store="
            raise TopologyError(msg)
        if value_type is UNKNOWN:
            msg = (
                f"the type that step '{name or store}' folds into is not known; "
                f"annotate what its initializer returns, or give value= to {verb}"
            )
            raise TopologyError(msg)
        step = name or (f"{store}-{verb}" if store != f"{self._origin}-{verb}" else store)
        node = self.fold_into(store, value_type, step=step, **fold)
        table: Table[W, Any] = self._graph.handles.table(self._graph, node, origin=store, store=store)
        return table

    def fold_into(self, store: str, value_type: object, *, step: str, shared: bool = False, **fold: Any) -> AggregateNode:
        """A step of this name that folds the group into a store, which is new unless it is shared with another step."""
        parent = self._partitioned(store)
        require_types(parent, "is grouped")
        node = self._graph.add(
            self._node_of(
                name=step,
                parents=(parent.name,),
                stores=(store,),
                store=store,
                key_type=self._key_of(parent),
                value_type=value_type,
                fold=fold,
            )
        )
        if not shared:
            self._graph.add_store(self._store_of(store, parent, value_type))
        return node

    def _partitioned(self, store: str) -> Node:
        if not self._rekeyed:
            return self._node
        base = self._name or store
        source = f"{base}-repartition-source"
        if self._graph.has_node(source):
            if self._node.name not in self._graph.node(f"{base}-repartition-sink").parents:
                msg = (
                    f"two groups would be moved through the topic '{base}-repartition'; "
                    "name one of them in group_by(…, name=) or group_by_key(name=)"
                )
                raise TopologyError(msg)
            return self._graph.node(source)
        return self._graph.repartition(self._node, base, None)

    def _key_of(self, parent: Node) -> object:
        return parent.key_type

    def _node_of(self, *, fold: Any, **step: Any) -> AggregateNode:
        return AggregateNode(**step, **fold)

    def _store_of(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return StoreSpec(name=store, kind=StoreKind.KEY_VALUE, key_type=parent.key_type, value_type=value_type)


class MergeableFolding(Folding[K, V, W]):
    """A group whose records may be folded with or without telling how two results are merged."""

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        *,
        merge: Callable[[V, V], V] | None = None,
        store: str | None = None,
        caching: bool = True,
        name: str | None = None,
    ) -> Table[W, V]:
        """The values of each key combined: the first as it is, then `reducer(so far, value)`, kept in `store`.

        `merge` combines two results of the reducer, where that can be told (often the reducer itself); it must not matter
        in which groups values are combined. `caching` as in count.
        """
        return self._fold(
            "reduce",
            store,
            name,
            self._node.value_type,
            initializer=nothing,
            adder=Reduce(reducer),
            merge=merge,
            with_key=False,
            caching=caching,
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
        caching: bool = True,
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
        caching: bool = True,
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
        caching: bool = True,
        name: str | None = None,
    ) -> Table[W, Any]:
        """The records of each key folded: from `initializer()` on by `adder(aggregate, value)`, kept in `store`.

        With `with_key` the adder takes (key, aggregate, value). The adder gives a new aggregate and leaves the old one as it
        is. `merge` combines two aggregates of different records of a key, where that can be told; engines may then fold in
        parts. `value` is the aggregate's type, where the initializer's annotation does not tell it. `caching` as in count.
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
            caching=caching,
        )


def _one_more(count: int, _value: object) -> int:
    return count + 1


def _sum(one: int, other: int) -> int:
    return one + other


def nothing() -> None:
    """The initializer of `reduce`."""


class Reduce:
    """The adder of `reduce`, and its merge: the first value stands for itself."""

    __slots__ = ("reducer",)

    def __init__(self, reducer: Callable[[Any, Any], Any]) -> None:
        self.reducer = reducer

    def __call__(self, so_far: Any, value: Any) -> Any:
        """`so_far` and `value` combined."""
        return value if so_far is None else self.reducer(so_far, value)
