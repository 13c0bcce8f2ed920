"""Which repartition topics take records with a null key: those upstream of a join that accepts them (KIP-962).

Left and outer joins of streams, and left joins of a stream with a table or a global table, have a result for a record without a
key. So every repartition upstream of such a join, at any distance, keeps these records, as in Kafka Streams
(`NodesWithRelaxedNullKeyJoinDownstream`).
"""

from collections.abc import Sequence
from dataclasses import replace

from eddyline.application.topology.nodes import (
    JoinKind,
    Node,
    RepartitionSinkNode,
    SourceNode,
    StreamStreamJoinNode,
    StreamTableJoinNode,
)


def with_null_keys(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return the nodes, with the repartitions upstream of relaxed joins marked to keep null keys."""
    by_name = {node.name: node for node in nodes}
    writers = {node.topic: node for node in nodes if isinstance(node, RepartitionSinkNode)}
    pending: list[Node] = [node for node in nodes if _is_relaxed(node)]
    upstream: set[str] = set()
    while pending:
        node = pending.pop()
        if node.name in upstream:
            continue
        upstream.add(node.name)
        pending.extend(by_name[parent] for parent in node.parents)
        if isinstance(node, SourceNode) and node.repartition:
            pending.append(writers[node.topic])
    return tuple(
        replace(node, null_keys=True) if isinstance(node, RepartitionSinkNode) and node.name in upstream else node
        for node in nodes
    )


def _is_relaxed(node: Node) -> bool:
    return isinstance(node, StreamStreamJoinNode | StreamTableJoinNode) and node.kind is not JoinKind.INNER
