"""Tables: the latest value of each key."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from eddyline.application.topology.graph import StreamRef, TableRef
from eddyline.application.topology.handles.arguments import checked, transformed_type
from eddyline.application.topology.handles.grouped_table import GroupedTable
from eddyline.application.topology.handles.negation import negated
from eddyline.application.topology.handles.suppression import add_suppress
from eddyline.application.topology.handles.table_joins import TableJoins
from eddyline.application.topology.nodes import (
    FilteredValueGetter,
    ForeignKeyResultNode,
    MappedValueGetter,
    Node,
    TableFilterNode,
    TableMapValuesNode,
    TableToStreamNode,
    TableTransformValuesNode,
    TransformedValueGetter,
    ValueGetter,
)
from eddyline.application.topology.types import explicit_or, pair_types, returned_type
from eddyline.application.topology.windows import UntilTimeLimit, UntilWindowCloses

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eddyline.application.topology.handles.stream import Stream
    from eddyline.application.topology.processor import ValueTransformerWithKey
    from eddyline.application.topology.stores import TableStore
    from eddyline.application.topology.windows import Windowed

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class Table(TableJoins[K, V], Generic[K, V]):
    """A table with keys of type K and values of type V.

    Operators return new tables; without `store=` the result has no store of its own, and its rows are read from those of the
    tables that it derives from.
    """

    _ways = (
        (".to_stream()", "Stream"),
        (".group_by(…)", "GroupedTable"),
        (".to_stream().group_by_key()", "GroupedStream"),
    )

    @property
    def store(self) -> str | None:
        """The name of the table's store, None if it has none of its own."""
        return self._ref.store

    def filter(self, predicate: Callable[[K, V], bool], *, store: TableStore = None, name: str | None = None) -> Table[K, V]:
        """Keep the rows that match a predicate of key and value; a row that does not match is deleted.

        The deletion is left out for a row that did not match before if the old values of the table are known: if it is the
        result of an aggregation or a join, or has a store that you named, or if an aggregation, a join or `suppress` downstream
        needs them.

        Args:
            predicate: Whether to keep a row.
            store: The name of a store for the result, or `versioned_key_value_store(…)`; by default none.
            name: The name of the operator.
        """
        return self._filtered("filter", predicate, store, name)

    def filter_not(self, predicate: Callable[[K, V], bool], *, store: TableStore = None, name: str | None = None) -> Table[K, V]:
        """Keep the rows that do not match a predicate of key and value.

        Args:
            predicate: Whether to delete a row.
            store: The name of a store for the result, or `versioned_key_value_store(…)`; by default none.
            name: The name of the operator.
        """
        return self._filtered("filter-not", negated(predicate), store, name)

    @overload
    def map_values(
        self,
        mapper: Callable[[V], V2],
        *,
        value: type[V2] | None = None,
        with_key: Literal[False] = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, V2]: ...
    @overload
    def map_values(
        self,
        mapper: Callable[[K, V], V2],
        *,
        value: type[V2] | None = None,
        with_key: Literal[True],
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, V2]: ...
    def map_values(
        self,
        mapper: Callable[..., Any],
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """Transform the value of each row; deletions are forwarded without a call of the mapper.

        Args:
            mapper: Returns the new value for a value.
            value: The type of the new values, by default the annotated return type of the mapper.
            with_key: Whether the mapper takes (key, value).
            store: The name of a store for the result, or `versioned_key_value_store(…)`; by default none.
            name: The name of the operator.
        """
        parent, store = self._as_input(), self._graph.chosen_store(store)
        getter = None if parent.getter is None else MappedValueGetter(parent.getter, mapper, with_key)
        node = TableMapValuesNode(
            name=self._graph.node_name(store or parent.origin, "map-values", name),
            parents=(parent.node.name,),
            mapper=mapper,
            with_key=with_key,
            store=store,
            versioned=parent.versioned_store is not None,
            stores=(store,) if store else (),
            key_type=parent.node.key_type,
            value_type=explicit_or(value, returned_type(mapper)),
        )
        return self._then(node, store, getter)

    def transform_values(
        self,
        supplier: Callable[[], ValueTransformerWithKey[K, V, V2]],
        *,
        stores: Sequence[str] = (),
        value: type[V2] | None = None,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, V2]:
        """Transform the value of each row with a user-defined transformer, which may have state and punctuation.

        The transformer is also called for deleted rows. Without `store=` it is called again wherever the rows of the result are
        read or their old values are needed, so its result should depend on key and value alone then.

        Args:
            supplier: Creates the transformer of each task; a `ConnectedStoreProvider` brings its stores along.
            stores: The names of the stores that it uses, added with `TopologyBuilder.add_state_store` or those of tables.
            value: The type of the new values, by default the annotated return type of `transform`.
            store: The name of a store for the result, or `versioned_key_value_store(…)`; by default none.
            name: The name of the operator.

        Raises:
            TopologyError: If a store does not exist, or a name is invalid or already used.
        """
        parent, store = self._as_input(), self._graph.chosen_store(store)
        name = self._graph.node_name(store or parent.origin, "transform-values", name)
        own_stores = self._graph.connected_stores(name, stores, supplier)
        getter = None if parent.getter is None else TransformedValueGetter(parent.getter, name, supplier, own_stores)
        node = TableTransformValuesNode(
            name=name,
            parents=(parent.node.name,),
            supplier=supplier,
            store=store,
            stores=(*own_stores, *((store,) if store else ())),
            key_type=parent.node.key_type,
            value_type=explicit_or(value, transformed_type(supplier)),
        )
        return self._then(node, store, getter)

    def group_by(
        self,
        selector: Callable[[K, V], tuple[K2 | None, V2 | None] | None],
        *,
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> GroupedTable[K2, V2]:
        """Group the rows by another key; they are repartitioned by it.

        Args:
            selector: Returns the key of the row's group, None for no group, and the value that is aggregated there; or None to
                leave the row out.
            key: The type of the groups' keys, by default from the annotated return type of the selector.
            value: The type of the aggregated values, likewise.
            name: The name of the repartition topic, without `-repartition`; by default that of the aggregation's store.
        """
        key_type, value_type = pair_types(returned_type(selector))
        table = self._as_input()
        self._graph.old_values.enable(table.node.name)
        return GroupedTable(
            self._graph,
            table,
            selector,
            name=name,
            key_type=explicit_or(key, key_type),
            value_type=explicit_or(value, value_type),
        )

    @overload
    def suppress(
        self: Table[Windowed[K2], V], until: UntilWindowCloses, *, name: str | None = None
    ) -> Table[Windowed[K2], V]: ...
    @overload
    def suppress(self, until: UntilTimeLimit, *, name: str | None = None) -> Table[K, V]: ...
    def suppress(self, until: UntilWindowCloses | UntilTimeLimit, *, name: str | None = None) -> Table[Any, V]:
        """Suppress intermediate updates.

        Args:
            until: `until_window_closes()` to emit only the final result of each window, `until_time_limit(…)` to emit only the
                latest of several updates.
            name: The name of the operator; its buffer is the store `<name>-store`.

        Raises:
            TopologyError: If types of keys or values are unknown, or the table has no windows that close.
        """
        kinds, fix = (UntilWindowCloses, UntilTimeLimit), "pass what until_window_closes(…) or until_time_limit(…) returns"
        checked(until, kinds, f"until= of suppress of table '{self._ref.origin}'", fix)
        return self._graph.table(add_suppress(self._graph, self._as_input(), until, name=name))

    @overload
    def to_stream(self, *, name: str | None = None) -> Stream[K, V]: ...
    @overload
    def to_stream(
        self, key_mapper: Callable[[K, V], K2 | None], *, key: type[K2] | None = None, name: str | None = None
    ) -> Stream[K2, V]: ...
    def to_stream(
        self, key_mapper: Callable[[K, V], Any] | None = None, *, key: type[Any] | None = None, name: str | None = None
    ) -> Stream[Any, V]:
        """Return the updates of the table as a stream; a deletion has a null value.

        The values of the stream have the type of the table, as in Kafka Streams, since most tables never delete a row: counts and
        other aggregations of streams do so only if their functions return None. If rows can be deleted (a table of a topic, the
        result of `filter` or of a join), functions downstream are passed None, too: drop it with
        `filter(lambda key, value: value is not None)`, or accept it.

        Args:
            key_mapper: Returns the new key of an update for key and value, which is None for a deletion.
            key: The type of the new keys, by default the annotated return type of the mapper.
            name: The name of the operator.
        """
        if key_mapper is not None:
            return self.to_stream().select_key(key_mapper, key=key, name=name)
        ref = self._ref
        node = self._graph.add(
            TableToStreamNode(
                name=self._graph.node_name(ref.origin, "to-stream", name),
                parents=(ref.node.name,),
                key_type=ref.node.key_type,
                value_type=ref.node.value_type,
            )
        )
        return self._graph.stream(StreamRef(node, ref.origin))

    def _as_input(self) -> TableRef:
        """Return the table as an input of another operator; the result of a foreign-key join gets a store for that."""
        node = self._ref.node
        if isinstance(node, ForeignKeyResultNode) and self._ref.getter is None:
            store = f"{node.name}-store"
            stored = self._graph.add_table_store(node, store)
            node = self._graph.replace(dataclasses.replace(node, store=store, stores=(store,)))
            self._ref = self._ref._replace(node=node, getter=stored.getter)
        return self._ref

    def _filtered(self, operator: str, predicate: Callable[[K, V], bool], store: TableStore, name: str | None) -> Table[K, V]:
        parent, store = self._as_input(), self._graph.chosen_store(store)
        getter = None if parent.getter is None else FilteredValueGetter(parent.getter, predicate)
        node = TableFilterNode(
            name=self._graph.node_name(store or parent.origin, operator, name),
            parents=(parent.node.name,),
            predicate=predicate,
            store=store,
            versioned=parent.versioned_store is not None,
            stores=(store,) if store else (),
            key_type=parent.node.key_type,
            value_type=parent.node.value_type,
        )
        filtered = self._then(node, store, getter)
        self._graph.old_values.add_filter(node)
        return filtered

    def _then(self, node: Node, store: str | None, getter: ValueGetter | None) -> Table[Any, Any]:
        self._graph.add(node)
        if store:
            return self._graph.table(self._graph.add_table_store(node, store))
        return self._graph.table(TableRef(node, self._ref.origin, getter=getter))
