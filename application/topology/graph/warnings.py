"""What is probably a mistake in a topology, but no error."""

from collections.abc import Iterator
from typing import Final

from eddyline.application.topology.graph.topology import Topology
from eddyline.application.topology.nodes import (
    AggregateNode,
    FilterNode,
    FlatMapNode,
    FlatMapValuesNode,
    MapNode,
    MapValuesNode,
    MergeNode,
    SinkNode,
    SourceNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    StreamTableJoinNode,
    TableTableJoinNode,
    TableToStreamNode,
    is_cached,
)
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import Emit

_FORWARDING: Final = (
    FilterNode,
    FlatMapNode,
    FlatMapValuesNode,
    MapNode,
    MapValuesNode,
    MergeNode,
    SourceNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    StreamTableJoinNode,
    TableToStreamNode,
)
"""Nodes that do nothing but forward records, so that without a child their work is lost. Not among them are actions, processors
and branches, and tables, whose stores can be queried."""


def topology_warnings(topology: Topology, emit: Emit | None = None) -> tuple[str, ...]:
    """Return a line for each stream that leads nowhere, each topic that is read and written, and each missed update or window.

    Args:
        topology: The topology.
        emit: Which updates tables forward in a run; None for what the topology says.
    """
    return (
        *_dead_ends(topology),
        *_loops(topology),
        *_missed_updates(topology, emit),
        *_missed_windows(topology, topology.emit_with(emit)),
    )


def _dead_ends(topology: Topology) -> Iterator[str]:
    parents = {parent for node in topology.nodes for parent in node.parents}
    for node in topology.nodes:
        if isinstance(node, _FORWARDING) and node.name not in parents:
            yield f"the records of operator '{node.name}' lead nowhere; write them to a topic with .to(…), or remove it"


def _loops(topology: Topology) -> Iterator[str]:
    read = {node.topic: node.name for node in topology.nodes if isinstance(node, SourceNode) and not node.repartition}
    for node in topology.nodes:
        if isinstance(node, SinkNode) and isinstance(node.topic, str) and node.topic in read:
            yield (
                f"operator '{node.name}' writes to topic '{node.topic}', which this topology also reads: its results become its "
                "input again; write to another topic, or use .repartition(…) to send records to other tasks"
            )


def _missed_updates(topology: Topology, emit: Emit | None) -> Iterator[str]:
    for operator, table in topology.update_dependents(emit):
        yield (
            f"'{operator}' receives only the latest update per key and batch of table '{table}'; if it must not miss one, "
            "define the table with caching=False or run with emit=every-update"
        )


def _missed_windows(topology: Topology, emit: Emit) -> Iterator[str]:
    """Yield a line for each join of windowed tables whose updates come at the end of a batch, when windows may have expired."""
    cached = {
        node.store: node.name
        for node in topology.nodes
        if isinstance(node, AggregateNode) and is_cached(node, emit)
        if topology.stores[node.store].kind in {StoreKind.WINDOW, StoreKind.SESSION}
    }
    for node in topology.nodes:
        if isinstance(node, TableTableJoinNode):
            late = [cached[store] for store in (*node.left.stores, *node.right.stores) if store in cached]
            if late:
                yield (
                    f"join '{node.name}' gets the updates of windowed table '{late[0]}' at the end of a batch, when windows that "
                    "closed in it can no longer be joined; define both tables with caching=False or run with emit=every-update"
                )
