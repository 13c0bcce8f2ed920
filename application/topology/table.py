"""Tables: the latest value of each key, and the verbs on them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from eddyline.application.topology import suppression
from eddyline.application.topology.graph import Graph, explicit
from eddyline.application.topology.join_nodes import ForeignKeyResultNode
from eddyline.application.topology.nodes import Node, TableToStreamNode
from eddyline.application.topology.side import Side
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.table_joins import TableJoins
from eddyline.application.topology.table_nodes import TableFilterNode, TableMapValuesNode
from eddyline.application.topology.types import pair_types, returned_type
from eddyline.application.topology.views import FilteredView, MappedView, StoredView, TableView

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.grouped_table import GroupedTable
    from eddyline.application.topology.stream import Stream
    from eddyline.application.topology.suppressed import UntilTimeLimit, UntilWindowCloses
    from eddyline.application.topology.windows import Windowed

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class Table(TableJoins[K, V], Generic[K, V]):
    """A table with keys of type K and values of type V.

    `store` names where it is kept; a table without one is passed on, and `view` tells how its rows are read from those that
    it was made of. Verbs that take `store` keep what they give.
    """

    def __init__(self, graph: Graph, node: Node, *, origin: str, store: str | None, view: TableView | None = None) -> None:
        self._graph = graph
        self._node = node
        self._origin = origin
        self._store = store
        self._view = StoredView(store, graph.store(store).kind) if store else view

    @property
    def store(self) -> str | None:
        """The name of the store that keeps the table, None where it is only passed on."""
        return self._store

    def filter(self, predicate: Callable[[K, V], bool], *, store: str | None = None, name: str | None = None) -> Table[K, V]:
        """The rows that the predicate of key and value holds for; a row that it no longer holds for is deleted."""
        return self._filtered("filter", predicate, store, name)

    def filter_not(self, predicate: Callable[[K, V], bool], *, store: str | None = None, name: str | None = None) -> Table[K, V]:
        """The rows that the predicate of key and value does not hold for."""
        return self._filtered("filter-not", lambda key, value: not predicate(key, value), store, name)

    @overload
    def map_values(
        self,
        mapper: Callable[[V], V2],
        *,
        value: type[V2] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, V2]: ...
    @overload
    def map_values(
        self,
        mapper: Callable[[K, V], V2],
        *,
        value: type[V2] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, V2]: ...
    def map_values(
        self,
        mapper: Callable[..., Any],
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """A new value for each row, of the value, or with `with_key` of key and value; deletions stay deletions."""
        parent = self.side()
        view = None if parent.view is None else MappedView(parent.view, mapper, with_key)
        node = TableMapValuesNode(
            name=self._graph.step_name(store or self._origin, "map-values", name),
            parents=(parent.node.name,),
            mapper=mapper,
            with_key=with_key,
            store=store,
            stores=(store,) if store else (),
            key_type=parent.node.key_type,
            value_type=explicit(value, returned_type(mapper)),
        )
        return self._then(node, store, view)

    def group_by(
        self,
        selector: Callable[[K, V], tuple[K2 | None, V2 | None]],
        *,
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> GroupedTable[K2, V2]:
        """The rows grouped: the selector gives the group's key and the value that counts there, None as key for no group.

        Rows are moved by the hash of the group's key through the internal topic `<name>-repartition`, without a name
        `<store>-repartition` of the table that the group is folded into.
        """
        key_type, value_type = pair_types(returned_type(selector))
        grouped: GroupedTable[K2, V2] = self._graph.handles.grouped_table(
            self._graph,
            self.side().node,
            selector,
            origin=self._origin,
            name=name,
            key_type=explicit(key, key_type),
            value_type=explicit(value, value_type),
        )
        return grouped

    @overload
    def suppress(
        self: Table[Windowed[K2], V], until: UntilWindowCloses, *, name: str | None = None
    ) -> Table[Windowed[K2], V]: ...
    @overload
    def suppress(self, until: UntilTimeLimit, *, name: str | None = None) -> Table[K, V]: ...
    def suppress(self, until: UntilWindowCloses | UntilTimeLimit, *, name: str | None = None) -> Table[Any, V]:
        """The table with its updates held back.

        `until_window_closes()` lets out only the final result of each window, `until_time_limit(…)` the latest of several
        updates. `name` names the step, and `<name>-store` what is held back.
        """
        return suppression.said(self._graph, self.side(), until, name=name)

    def to_stream(self, *, name: str | None = None) -> Stream[K, V]:
        """The table's updates as a stream; a deleted key comes as a null value."""
        node = self._graph.add(
            TableToStreamNode(
                name=self._graph.step_name(self._origin, "to-stream", name),
                parents=(self._node.name,),
                key_type=self._node.key_type,
                value_type=self._node.value_type,
            )
        )
        stream: Stream[K, V] = self._graph.handles.stream(self._graph, node, origin=self._origin)
        return stream

    def side(self) -> Side:
        """What a join needs to know of this table; a result of a foreign-key join is kept from now on."""
        if isinstance(self._node, ForeignKeyResultNode) and self._view is None:
            store = f"{self._node.name}-store"
            self._graph.keep(self._node, store)
            self._node = self._graph.replace(dataclasses.replace(self._node, store=store, stores=(store,)))
            self._view = StoredView(store, StoreKind.KEY_VALUE)
        return Side(self._node, self._origin, view=self._view)

    def _filtered(self, verb: str, predicate: Callable[[K, V], bool], store: str | None, name: str | None) -> Table[K, V]:
        parent = self.side()
        view = None if parent.view is None else FilteredView(parent.view, predicate)
        node = TableFilterNode(
            name=self._graph.step_name(store or self._origin, verb, name),
            parents=(parent.node.name,),
            predicate=predicate,
            store=store,
            stores=(store,) if store else (),
            key_type=parent.node.key_type,
            value_type=parent.node.value_type,
        )
        return self._then(node, store, view)

    def _then(self, node: Node, store: str | None, view: TableView | None) -> Table[K, Any]:
        self._graph.add(node)
        if store:
            self._graph.keep(node, store)
        return Table(self._graph, node, origin=store or self._origin, store=store, view=view)
