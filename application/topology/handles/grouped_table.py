"""Tables whose rows are grouped by another key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, Optional, TypeVar, overload

from eddyline.application.topology.aggregations import Aggregation
from eddyline.application.topology.aggregations.fold import COUNT, Fold, reduction
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.handles.guidance import Guided
from eddyline.application.topology.handles.ready_made import initializer_and_adder, with_results
from eddyline.application.topology.nodes import TableAggregateNode, TableGroupByNode
from eddyline.application.topology.types import UNKNOWN, aggregate_type, explicit_or

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.graph import TableRef
    from eddyline.application.topology.handles.dsl_graph import DslGraph
    from eddyline.application.topology.handles.table import Table
    from eddyline.application.topology.stores import TableStore

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class GroupedTable(Guided, Generic[K, V]):
    """A table whose rows are grouped by another key, to be aggregated into a table of groups.

    A new row is added to its group, a deleted row is subtracted from it. An updated row is subtracted and added, even if its
    value did not change: with one update if its group stays the same, else first in the old and then in the new group.
    """

    _ways = ((".count()", "Table"), (".count().to_stream()", "Stream"))

    def __init__(
        self,
        graph: DslGraph,
        table: TableRef,
        selector: Callable[[Any, Any], tuple[Any, Any] | None],
        *,
        name: str | None,
        key_type: object,
        value_type: object,
    ) -> None:
        self._graph = graph
        self._table = table
        self._selector = selector
        self._name = name
        self._key_type = key_type
        self._value_type = value_type

    def count(self, *, store: TableStore = None, name: str | None = None) -> Table[K, int]:
        """Count the rows of each group.

        Args:
            store: The name of the resulting table's store, by default derived from the table's name; or
                `versioned_key_value_store(…)`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the group are unknown, or a name is invalid or already used.
        """
        return self._aggregate("count", store, name, int, COUNT)

    def reduce(
        self,
        adder: Callable[[V, V], V],
        subtractor: Callable[[V, V], V],
        *,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, V]:
        """Combine the values of each group; the first value is the first aggregate.

        Args:
            adder: Returns the next aggregate for (aggregate, value of an added row).
            subtractor: Returns the next aggregate for (aggregate, value of a subtracted row).
            store: The name of the resulting table's store, by default derived from the table's name; or
                `versioned_key_value_store(…)`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the group are unknown, or a name is invalid or already used.
        """
        return self._aggregate("reduce", store, name, self._value_type, reduction(adder, subtract=subtractor))

    @overload
    def aggregate(
        self, aggregation: Aggregation[V, A], /, *, store: TableStore = None, name: str | None = None
    ) -> Table[K, A]: ...
    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[A, V], A],
        subtractor: Callable[[A, V], A],
        *,
        value: type[A] | None = None,
        with_key: Literal[False] = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, A]: ...
    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[K, A, V], A],
        subtractor: Callable[[K, A, V], A],
        *,
        value: type[A] | None = None,
        with_key: Literal[True],
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, A]: ...
    def aggregate(
        self,
        initializer: Callable[[], Any] | Aggregation[V, Any],
        adder: Callable[..., Any] | None = None,
        subtractor: Callable[..., Any] | None = None,
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """Aggregate the rows of each group.

        Args:
            initializer: Returns the first aggregate of a group; or, alone, a ready-made aggregation of `eddyline.aggregations`,
                whose state is in the store.
            adder: Returns the next aggregate for (aggregate, value of an added row); it may change its arguments.
            subtractor: Returns the next aggregate for (aggregate, value of a subtracted row), likewise; required with `adder`.
            value: The type of the aggregate, by default from the annotated return types of initializer and adder.
            with_key: Whether adder and subtractor take (key, aggregate, value).
            store: The name of the resulting table's store, by default derived from the table's name; or
                `versioned_key_value_store(…)`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the types of the group or of the aggregate are unknown, or a name is invalid or already used.
        """
        if isinstance(initializer, Aggregation):
            self._check_types()
            steps = initializer.of_table
            table = self._aggregate("aggregate", store, name, steps.state_type(self._value_type), steps.fold)
            return with_results(table, steps, initializer.result_type(self._value_type))
        begin, add = initializer_and_adder(initializer, adder)
        if subtractor is None:
            msg = (
                "aggregate(…) of a grouped table takes subtractor, a function of the aggregate and the value of a subtracted row"
            )
            raise TypeError(msg)
        fold = Fold(begin, add, subtract=subtractor, with_key=with_key)
        return self._aggregate("aggregate", store, name, explicit_or(value, aggregate_type(begin, add, subtractor)), fold)

    def _aggregate(self, operator: str, store: TableStore, name: str | None, value_type: object, fold: Fold) -> Table[K, Any]:
        store = self._graph.chosen_store(store) or f"{self._table.origin}-{operator}"
        name = name or f"{store}-{operator}"
        self._check_types()
        if value_type is UNKNOWN:
            msg = (
                f"the result type of operator '{name}' is unknown; "
                f"annotate the return type of its initializer or adder, or pass value= to {operator}(…)"
            )
            raise TopologyError(msg)
        node = TableAggregateNode(
            name=name,
            parents=(f"{self._name or store}-repartition-source",),
            stores=(store,),
            store=store,
            key_type=self._key_type,
            value_type=value_type,
            fold=fold,
        )
        if self._is_partitioned(store):
            spec = self._graph.table_store(store, key_type=self._key_type, value_type=value_type)
            if (same := self._graph.same_table(node, spec)) is not None:
                return self._graph.table(same)
        self._graph.check_store_is_free(store, operator)
        self._partition(store)
        return self._graph.table(self._graph.add_table_store(self._graph.add(node), store))

    def _check_types(self) -> None:
        for part, found in (("key", self._key_type), ("value", self._value_type)):
            if found is UNKNOWN:
                msg = (
                    f"the {part} type of the groups of table '{self._table.origin}' is unknown; annotate the return type of the "
                    f"selector as tuple[<key>, <value>], or pass {part}= to group_by(…)"
                )
                raise TopologyError(msg)

    def _is_partitioned(self, store: str) -> bool:
        """Return whether the updates of these groups were partitioned for the store before; those of a named group are shared."""
        sink = f"{self._name or store}-repartition-sink"
        if not self._graph.has_node(sink):
            return False
        group_by = self._graph.node(sink).parents[0]
        return self._graph.node(group_by) == self._group_by(group_by)

    def _partition(self, store: str) -> None:
        if not self._is_partitioned(store):
            group_by = self._graph.add(self._group_by(self._name or self._graph.node_name(store, "group-by", None)))
            self._graph.repartition(group_by, self._name or store, None)

    def _group_by(self, name: str) -> TableGroupByNode:
        versioned_store = self._table.versioned_store
        return TableGroupByNode(
            name=name,
            parents=(self._table.node.name,),
            selector=self._selector,
            versioned_store=versioned_store,
            stores=() if versioned_store is None else (versioned_store,),
            key_type=self._key_type,
            value_type=tuple[Optional[self._value_type], Optional[self._value_type]],  # type: ignore[name-defined] # noqa: UP045 - types are values here
        )
