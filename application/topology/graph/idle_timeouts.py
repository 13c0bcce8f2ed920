"""Idle timeouts of sources: how long no record may come before stream time follows the wall clock."""

from dataclasses import replace

from eddyline.application.topology.graph.topology import Topology
from eddyline.application.topology.nodes import SourceNode


def with_idle_timeout(topology: Topology, timeout_ms: int | None) -> Topology:
    """Return the topology with this idle timeout for the sources that have none; None leaves them to event time only."""
    if timeout_ms is None:
        return topology
    nodes = tuple(
        replace(node, idle_timeout_ms=timeout_ms)
        if isinstance(node, SourceNode) and not (node.repartition or node.global_) and node.idle_timeout_ms is None
        else node
        for node in topology.nodes
    )
    return replace(topology, nodes=nodes)
