"""Which operators of tables know the old values of rows, decided as in Kafka Streams while the graph is built.

A filter that knows old values forwards a deletion only for a row that matched before; one that does not forwards a deletion for
every row that does not match. A transformer is called for old values, too, if they are known. Our tables always have old values.
But the number of deletions, and of calls, is part of the result. So the rules are those of
`KTableImpl.enableSendingOldValues`: an operator that needs old values asks for them upstream, and a filter asks for them without
insisting, so that it gets them only if the table that it filters is materialized by then.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from eddyline.application.topology.nodes import (
    ForeignKeyResultNode,
    Node,
    SuppressNode,
    TableFilterNode,
    TableMapValuesNode,
    TableSourceNode,
    TableTableJoinNode,
    TableTransformValuesNode,
)

_SOURCES: Final = (TableSourceNode, ForeignKeyResultNode)
_DERIVED: Final = (TableFilterNode, TableMapValuesNode, TableTransformValuesNode)
_CHOOSING: Final = (TableFilterNode, TableTransformValuesNode)


class OldValues:
    """The tables that are materialized and the operators that know old values, as far as the graph is built."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes
        self._materialized: set[str] = set()
        self._knowing: set[str] = set()

    def materialize(self, table: str) -> None:
        """Record that a table's rows are stored: its user named the store, or an operator reads the rows."""
        node = self._nodes[table]
        if isinstance(node, _SOURCES):
            self._materialized.add(table)
        elif isinstance(node, SuppressNode) or (isinstance(node, _DERIVED) and node.store is None):
            self.materialize(node.parents[0])

    def enable(self, table: str, *, materialize: bool = True) -> bool:
        """Let the operators of a table forward old values.

        Args:
            table: The name of the node that emits the table's updates.
            materialize: Whether tables upstream that are not materialized become so.

        Returns:
            Whether the table has old values now.
        """
        node = self._nodes[table]
        if isinstance(node, _SOURCES):
            if materialize:
                self._materialized.add(table)
            return table in self._materialized
        if isinstance(node, TableTableJoinNode):
            for parent in node.parents:
                self.enable(parent)
        elif isinstance(node, SuppressNode):
            return self.enable(node.parents[0], materialize=materialize)
        elif isinstance(node, _DERIVED):
            enabled = node.store is not None or self.enable(node.parents[0], materialize=materialize)
            if enabled:
                self._knowing.add(table)
            return enabled
        return True

    def add_filter(self, node: TableFilterNode) -> None:
        """Let a new filter know old values if the table that it filters is materialized."""
        if self.enable(node.parents[0], materialize=False):
            self._knowing.add(node.name)

    def applied(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        """Return the nodes, with the operators that know old values marked."""
        return tuple(
            replace(node, old_values=True) if isinstance(node, _CHOOSING) and node.name in self._knowing else node
            for node in nodes
        )
