"""The operators whose results depend on which updates of a table are forwarded."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from eddyline.application.topology.nodes import (
    AggregateNode,
    FilterNode,
    Node,
    PeekNode,
    ProcessorNode,
    RepartitionSinkNode,
    SourceNode,
    SplitNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    SuppressNode,
    TableAggregateNode,
    TableSourceNode,
    TableToStreamNode,
    TableTransformValuesNode,
    is_cached,
)
from eddyline.application.topology.types import Emit

_SENSITIVE = (
    FilterNode,
    SplitNode,
    PeekNode,
    ProcessorNode,
    AggregateNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
)
"""What may act on, or count, an update that is replaced by a later one before it is forwarded."""


class UpdateDependent(NamedTuple):
    """An operator that receives the updates of a table of which only the latest per key and commit is forwarded."""

    operator: str
    table: str


def update_dependents(nodes: Iterable[Node], emit: Emit) -> tuple[UpdateDependent, ...]:
    """Return the operators on a table's stream of updates that see fewer updates because the table forwards only the latest.

    On each path only the first such operator is returned: what follows depends on it anyway.

    Args:
        nodes: The nodes of a topology, parents before children.
        emit: Which updates tables forward, unless their own `caching` decides.
    """
    return tuple(_dependents(nodes, emit))


def _dependents(nodes: Iterable[Node], emit: Emit) -> Iterator[UpdateDependent]:
    tables: dict[str, str] = {}
    streams: dict[str, str] = {}
    repartitioned: dict[str, str] = {}
    for node in nodes:
        stream = next((streams[parent] for parent in node.parents if parent in streams), None)
        if isinstance(node, SourceNode) and node.topic in repartitioned:
            stream = repartitioned[node.topic]
        table = next((tables[parent] for parent in node.parents if parent in tables), None)
        if stream is not None and isinstance(node, _SENSITIVE):
            yield UpdateDependent(node.name, stream)
        elif table is not None and isinstance(node, TableTransformValuesNode):
            yield UpdateDependent(node.name, table)
        elif isinstance(node, RepartitionSinkNode) and stream is not None:
            repartitioned[node.topic] = stream
        elif isinstance(node, TableToStreamNode) and table is not None:
            streams[node.name] = table
        elif _forwards_latest(node, emit):
            tables[node.name] = node.name
        elif stream is not None:
            streams[node.name] = stream
        elif table is not None and not (isinstance(node, SuppressNode) and node.by_window):
            tables[node.name] = table


def _forwards_latest(node: Node, emit: Emit) -> bool:
    if isinstance(node, AggregateNode):
        return node.emit_on_close is None and is_cached(node, emit)
    return isinstance(node, TableSourceNode | TableAggregateNode) and emit == "latest"
