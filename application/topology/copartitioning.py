"""Which topics must have the same number of partitions, because their records are joined by the hash of their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eddyline.application.topology.join_nodes import CopartitionedNode
from eddyline.application.topology.nodes import SourceNode

if TYPE_CHECKING:
    from eddyline.application.topology.topology import Topology


class CopartitionGroup(NamedTuple):
    """A step that joins and the topics that its sides come from, global ones left out."""

    step: str
    topics: tuple[str, ...]


def copartition_groups(topology: Topology) -> tuple[CopartitionGroup, ...]:
    """The groups of topics of a topology, one for each step that joins."""
    return tuple(
        CopartitionGroup(node.name, tuple(dict.fromkeys(topic for side in node.sides for topic in _topics_of(topology, side))))
        for node in topology.nodes
        if isinstance(node, CopartitionedNode) and node.sides
    )


def _topics_of(topology: Topology, step: str) -> list[str]:
    """The topics that a step's records come from without a repartition between."""
    node = topology.by_name[step]
    if isinstance(node, SourceNode):
        return [] if node.global_ else [node.topic]
    return [topic for parent in node.parents for topic in _topics_of(topology, parent)]
