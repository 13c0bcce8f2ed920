"""The joins of a table: by equal keys, or by a foreign key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import TableRef
from eddyline.application.topology.handles.arguments import input_of
from eddyline.application.topology.handles.global_table import GlobalTable
from eddyline.application.topology.handles.guidance import Guided
from eddyline.application.topology.handles.join_signatures import inner_table_join, left_table_join, outer_table_join
from eddyline.application.topology.joins import JoinSpec, add_foreign_key_join, add_table_table_join
from eddyline.application.topology.nodes import JoinKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.handles.dsl_graph import DslGraph
    from eddyline.application.topology.handles.table import Table
    from eddyline.application.topology.stores import TableStore

K = TypeVar("K")
V = TypeVar("V")


class TableJoins(Guided, Generic[K, V]):
    """The joins of a table with keys of type K and values of type V."""

    def __init__(self, graph: DslGraph, ref: TableRef) -> None:
        self._graph = graph
        self._ref = ref

    @inner_table_join
    def join(
        self,
        other: Table[Any, Any],
        joiner: Callable[..., Any],
        *,
        foreign_key: Callable[[V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """Join the rows of this table with those of another one; an update of either table updates the result.

        A joined row has the greater timestamp of its two rows. In a foreign-key join, an update of the other table gives its
        own timestamp to the rows that it updates. Keys in time windows are equal if the windows start at the same time, also
        if their sizes differ; the rows of the result are then in the windows of this table.

        Args:
            other: The other table, with the same keys, or with the foreign key as its key.
            joiner: Returns the joined value for (value of this table, value of the other table).
            foreign_key: Returns the key of the row of the other table for a value of this table, None for no row.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key of this table, value of this table, value of the other table).
            store: The name of a store for the result, or `versioned_key_value_store(…)`; by default none.
            name: The name of the operator, by default derived from both tables.

        Raises:
            TopologyError: If the key types differ, one of the tables has no store, types that a store or a foreign-key join
                need are unknown, or a name is invalid or already used.
        """
        spec = JoinSpec(JoinKind.INNER, joiner, with_key, value, name, self._graph.chosen_store(store))
        return self._join(other, spec, foreign_key)

    @left_table_join
    def left_join(
        self,
        other: Table[Any, Any],
        joiner: Callable[..., Any],
        *,
        foreign_key: Callable[[V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """Join as `join` does, and keep the rows of this table without a match: the joiner then gets None as other value.

        Args:
            other: The other table, with the same keys, or with the foreign key as its key.
            joiner: Returns the joined value for (value of this table, value of the other table or None).
            foreign_key: Returns the key of the row of the other table for a value of this table, None for no row.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key of this table, value of this table, value of the other table or None).
            store: The name of a store for the result, or `versioned_key_value_store(…)`; by default none.
            name: The name of the operator, by default derived from both tables.

        Raises:
            TopologyError: As `join`.
        """
        spec = JoinSpec(JoinKind.LEFT, joiner, with_key, value, name, self._graph.chosen_store(store))
        return self._join(other, spec, foreign_key)

    @outer_table_join
    def outer_join(
        self,
        other: Table[K, Any],
        joiner: Callable[..., Any],
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """Join by equal keys as `join` does, and keep the rows of both tables without a match.

        Args:
            other: The other table, with the same keys.
            joiner: Returns the joined value for (value of this table or None, value of the other table or None).
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key, value of this table or None, value of the other table or None).
            store: The name of a store for the result, or `versioned_key_value_store(…)`; by default none.
            name: The name of the operator, by default derived from both tables.

        Raises:
            TopologyError: As `join`.
        """
        spec = JoinSpec(JoinKind.OUTER, joiner, with_key, value, name, self._graph.chosen_store(store))
        return self._join(other, spec, None)

    def _as_input(self) -> TableRef:
        """Return the table as an input of another operator."""
        return self._ref

    def _join(self, other: Any, spec: JoinSpec, foreign_key: Callable[[Any], Any] | None) -> Table[Any, Any]:
        left = self._as_input()
        right = input_of(self._graph, f"table '{left.origin}' is joined with", other)
        if not isinstance(right, TableRef):
            msg = f"table '{left.origin}' cannot be joined with stream '{right.origin}'; make it a table first with .to_table(…)"
            raise TopologyError(msg)
        if isinstance(other, GlobalTable):
            msg = f"table '{left.origin}' cannot be joined with a global table; read its topic with builder.table(…) instead"
            raise TopologyError(msg)
        if foreign_key is None:
            return self._graph.table(add_table_table_join(self._graph, left, right, spec))
        return self._graph.table(add_foreign_key_join(self._graph, left, right, spec, foreign_key))
