"""Which topics must be copartitioned: have the same number of partitions, since their records are joined by key."""

from typing import NamedTuple

from eddyline.application.topology.graph.topology import Topology
from eddyline.application.topology.nodes import CopartitionedNode, SourceNode


class CopartitionGroup(NamedTuple):
    """A node that joins, and the topics that must be copartitioned for it, without those of global tables."""

    node: str
    topics: tuple[str, ...]


def copartition_groups(topology: Topology) -> tuple[CopartitionGroup, ...]:
    """Return the groups of copartitioned topics of a topology, one for each node that joins."""
    return tuple(
        CopartitionGroup(
            node.name, tuple(dict.fromkeys(topic for name in node.copartitioned for topic in _topics_of(topology, name)))
        )
        for node in topology.nodes
        if isinstance(node, CopartitionedNode) and node.copartitioned
    )


def _topics_of(topology: Topology, name: str) -> list[str]:
    """Return the topics that the records of a node come from without a repartition in between."""
    node = topology.by_name[name]
    if isinstance(node, SourceNode):
        return [] if node.global_ else [node.topic]
    return [topic for parent in node.parents for topic in _topics_of(topology, parent)]
