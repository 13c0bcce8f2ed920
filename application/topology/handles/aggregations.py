"""Aggregations of grouped streams, with or without windows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from eddyline.application.topology.aggregations import Aggregation
from eddyline.application.topology.aggregations.fold import COUNT, Fold, reduction
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import StreamRef, TableRef, check_types
from eddyline.application.topology.handles.guidance import Guided
from eddyline.application.topology.handles.ready_made import initializer_and_adder, with_results
from eddyline.application.topology.nodes import AggregateNode, Node
from eddyline.application.topology.stores import StoreSpec, TableStore
from eddyline.application.topology.types import UNKNOWN, aggregate_type, explicit_or

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.handles.dsl_graph import DslGraph
    from eddyline.application.topology.handles.table import Table

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")
W = TypeVar("W")


class Aggregations(Guided, Generic[K, V, W]):
    """A grouped stream that can be counted; W is the type of the keys of the resulting tables.

    The same aggregation of the same records, with equal functions and stores, returns the same table.
    """

    _ways = ((".count()", "Table"), (".count().to_stream()", "Stream"))
    _merges_in_order = False
    """Whether aggregates are merged in the order of their records alone."""

    def __init__(self, graph: DslGraph, parent: StreamRef, *, name: str | None) -> None:
        self._graph = graph
        self._parent = parent
        self._name = name

    def count(self, *, store: TableStore = None, caching: bool | None = None, name: str | None = None) -> Table[W, int]:
        """Count the records of each key.

        Args:
            store: The name of the table's store, by default derived from the stream, such as `views-count`; or, without
                windows, `versioned_key_value_store(…)`.
            caching: True emits only the latest count per key and commit; False emits every count, for consumers that must not
                miss one; None follows the setting `emit`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the stream are unknown, or a name is invalid or already used.
        """
        return self._aggregate("count", store, name, int, COUNT, caching=caching)

    def _aggregate(
        self,
        operator: str,
        store: TableStore,
        name: str | None,
        value_type: object,
        fold: Fold,
        *,
        caching: bool | None = None,
    ) -> Table[W, Any]:
        default_store = f"{self._parent.origin}-{operator}"
        store = self._graph.chosen_store(store) or default_store
        node_name = name or (store if store == default_store else f"{store}-{operator}")
        if (same := self._same_table(node_name, store, value_type, fold, caching=caching)) is not None:
            return self._graph.table(same)
        self._graph.check_store_is_free(store, operator)
        if value_type is UNKNOWN:
            check_types(self._parent.node, "to aggregate it")
            msg = (
                f"the result type of operator '{name or store}' is unknown; "
                f"annotate the return type of its initializer or adder, or pass value= to {operator}(…)"
            )
            raise TopologyError(msg)
        node = self._add_node(node_name, store, value_type, fold, caching=caching)
        return self._graph.table(self._graph.stored_table(node, store))

    def _add_node(
        self, name: str, store: str, value_type: object, fold: Fold, *, caching: bool | None = None, new_store: bool = True
    ) -> AggregateNode:
        """Add the node that aggregates, and its store unless another node shares it."""
        parent = self._partitioned(store)
        check_types(parent, "to aggregate it")
        node = self._graph.add(self._unadded_node(name, parent, store, value_type, fold, caching=caching))
        if new_store:
            self._graph.add_store(self._store_spec(store, parent, value_type))
        return node

    def _unadded_node(
        self, name: str, parent: Node, store: str, value_type: object, fold: Fold, *, caching: bool | None
    ) -> AggregateNode:
        return self._node(
            name=name,
            parents=(parent.name,),
            stores=(store,),
            store=store,
            key_type=self._key_type(parent),
            value_type=value_type,
            fold=fold,
            caching=caching,
        )

    def _same_table(self, name: str, store: str, value_type: object, fold: Fold, *, caching: bool | None) -> TableRef | None:
        """Return the table of the same aggregation of the same records, None if it was not added before."""
        parent = self._partitioned_before(store)
        if parent is None:
            return None
        node = self._unadded_node(name, parent, store, value_type, fold, caching=caching)
        return self._graph.same_table(node, self._store_spec(store, parent, value_type))

    def _partitioned_before(self, store: str) -> Node | None:
        """Return the node that `_partitioned` returns without adding one, None if it has to add one."""
        if not self._parent.rekeyed:
            return self._parent.node
        return self._graph.repartitioned_before(self._parent.node, self._name or store)

    def _partitioned(self, store: str) -> Node:
        """Return a node whose records are partitioned by key; aggregations of one named group share a repartition topic."""
        found, base = self._partitioned_before(store), self._name or store
        if found is not None:
            return found
        if self._graph.has_node(f"{base}-repartition-source"):
            msg = (
                f"two grouped streams would share the repartition topic '{base}-repartition'; "
                "pass another name= to one of them, in group_by(…) or group_by_key(…)"
            )
            raise TopologyError(msg)
        return self._graph.repartition(self._parent.node, base, None)

    def _key_type(self, parent: Node) -> object:
        return parent.key_type

    def _node(self, **fields: Any) -> AggregateNode:
        return AggregateNode(**fields)

    def _store_spec(self, store: str, parent: Node, value_type: object) -> StoreSpec:
        return self._graph.table_store(store, key_type=parent.key_type, value_type=value_type)

    def _ready_made(
        self, aggregation: Aggregation[V, Any], store: TableStore, name: str | None, *, caching: bool | None = None
    ) -> Table[W, Any]:
        """Aggregate as a ready-made aggregation says, and return the table of its results."""
        value_type, steps = self._parent.node.value_type, aggregation.of_stream
        check_types(self._parent.node, "to aggregate it")
        fold = steps.fold
        if fold.in_order and not self._merges_in_order:
            fold = replace(fold, merge=None)
        table = self._aggregate("aggregate", store, name, steps.state_type(value_type), fold, caching=caching)
        return with_results(table, steps, aggregation.result_type(value_type))


class MergeableAggregations(Aggregations[K, V, W]):
    """A grouped stream whose results need not be mergeable."""

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        *,
        merge: Callable[[V, V], V] | None = None,
        store: TableStore = None,
        caching: bool | None = None,
        name: str | None = None,
    ) -> Table[W, V]:
        """Combine the values of each key; the first value is the first aggregate.

        Args:
            reducer: Returns the next aggregate for (aggregate, value).
            merge: Combines two aggregates, often the reducer itself. It must be associative and commutative, since engines may
                then aggregate in parts: in windows, and before records are repartitioned.
            store: The name of the table's store, by default derived from the stream, such as `views-reduce`; or, without
                windows, `versioned_key_value_store(…)`.
            caching: True emits only the latest result per key and commit; False emits every result; None follows the
                setting `emit`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the stream are unknown, or a name is invalid or already used.
        """
        fold = reduction(reducer, merge)
        return self._aggregate("reduce", store, name, self._parent.node.value_type, fold, caching=caching)

    @overload
    def aggregate(
        self,
        aggregation: Aggregation[V, A],
        /,
        *,
        store: TableStore = None,
        caching: bool | None = None,
        name: str | None = None,
    ) -> Table[W, A]: ...
    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[A, V], A],
        *,
        merge: Callable[[A, A], A] | None = None,
        value: type[A] | None = None,
        with_key: Literal[False] = False,
        store: TableStore = None,
        caching: bool | None = None,
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
        store: TableStore = None,
        caching: bool | None = None,
        name: str | None = None,
    ) -> Table[W, A]: ...
    def aggregate(
        self,
        initializer: Callable[[], Any] | Aggregation[V, Any],
        adder: Callable[..., Any] | None = None,
        *,
        merge: Callable[[Any, Any], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: TableStore = None,
        caching: bool | None = None,
        name: str | None = None,
    ) -> Table[W, Any]:
        """Aggregate the values of each key.

        Args:
            initializer: Returns the first aggregate of a key; or, alone, a ready-made aggregation of `eddyline.aggregations`,
                whose state is in the store.
            adder: Returns the next aggregate for (aggregate, value); it may change its arguments.
            merge: Combines two aggregates of different records of a key, if that is possible. It must be associative and
                commutative, since engines may then aggregate in parts: in windows, and before records are repartitioned. The
                adder must not delete rows then.
            value: The type of the aggregate, by default from the annotated return types of initializer and adder.
            with_key: Whether the adder takes (key, aggregate, value).
            store: The name of the table's store, by default derived from the stream, such as `views-aggregate`; or, without
                windows, `versioned_key_value_store(…)`.
            caching: True emits only the latest aggregate per key and commit; False emits every aggregate; None
                follows the setting `emit`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the stream or of the aggregate are unknown, or a name is invalid or already used.
        """
        if isinstance(initializer, Aggregation):
            return self._ready_made(initializer, store, name, caching=caching)
        begin, add = initializer_and_adder(initializer, adder)
        value_type = explicit_or(value, aggregate_type(begin, add, merge))
        fold = Fold(begin, add, merge, with_key=with_key)
        return self._aggregate("aggregate", store, name, value_type, fold, caching=caching)
