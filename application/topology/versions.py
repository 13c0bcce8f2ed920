"""Versions of a flow that run side by side: what one writes to the outside carries its name, what it reads is everyone's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from eddyline.application.topology.graph import check_name
from eddyline.application.topology.nodes import Node, SinkNode, SourceNode
from eddyline.application.topology.subtopologies import split_into_sub_topologies
from eddyline.application.topology.topology import Topology


def versioned(name: str, version: str) -> str:
    """The name of a topic or an application in a version: `stock-stats-v2`. Raises TopologyError where it is not legal."""
    named = f"{name}-{version}"
    check_name(version, "version")
    check_name(named, "versioned")
    return named


def with_version(topology: Topology, version: str) -> Topology:
    """The topology with topics of its own for all that it writes: `<topic>-<version>`.

    A topic that it writes and reads back is its own too; one that it only reads stays as it is. Topics that a function
    chooses for each record get the same ending; whether such a topic is read back cannot be known, so none of them counts as
    one that is. Steps and stores keep their names: state is kept apart by the application's id, repartition topics likewise.
    Raises TopologyError for a version, or a name with it, that is not legal.
    """
    check_name(version, "version")
    written = {spec.name: versioned(spec.name, version) for spec in topology.sink_topics}
    nodes = tuple(_of_version(node, written, version) for node in topology.nodes)
    return Topology(nodes, topology.store_specs, split_into_sub_topologies(nodes, topology.store_specs))


def _of_version(node: Node, written: dict[str, str], version: str) -> Node:
    if isinstance(node, SinkNode):
        topic = node.topic
        return replace(node, topic=written[topic] if isinstance(topic, str) else _Chosen(topic, version))
    if isinstance(node, SourceNode) and not node.repartition and node.topic in written:
        return replace(node, topic=written[node.topic])
    return node


class _Chosen:
    """The topic that a function chooses, in a version."""

    __slots__ = ("choose", "version")

    def __init__(self, choose: Callable[[Any, Any], str], version: str) -> None:
        self.choose = choose
        self.version = version

    def __call__(self, key: Any, value: Any) -> str:
        return f"{self.choose(key, value)}-{self.version}"
