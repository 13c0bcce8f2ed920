"""Parallel versions of a flow: each version writes to topics of its own and reads the same topics as the others."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from eddyline.application.topology.graph.names import check_name
from eddyline.application.topology.graph.topology import Topology
from eddyline.application.topology.nodes import Node, SinkNode, SourceNode
from eddyline.application.topology.sub_topologies import split_into_sub_topologies


def versioned(name: str, version: str) -> str:
    """Return the name of a topic or an application in a version, such as `stock-stats-v2`.

    Raises:
        TopologyError: If the version or the resulting name is invalid.
    """
    result = f"{name}-{version}"
    check_name(version, "version")
    check_name(result, "versioned")
    return result


def with_version(topology: Topology, version: str, written_together: Collection[str] = ()) -> Topology:
    """Return the topology with topics of its own for everything that it writes: `<topic>-<version>`.

    A topic that it both writes and reads is renamed on both sides, and so is one that it reads and other flows of the same
    version write (`written_together`); a topic that is only read keeps its name. Topics that a
    function chooses for each record get the suffix too, but are never renamed where they are read, since they are unknown
    until then. Nodes, stores and repartition topics keep their names: the application id keeps those of versions apart.

    Raises:
        TopologyError: If the version, or a topic name with it, is invalid.
    """
    check_name(version, "version")
    names = (*written_together, *(spec.name for spec in topology.sink_topics))
    written = {name: versioned(name, version) for name in names}
    nodes = tuple(_of_version(node, written, version) for node in topology.nodes)
    found = split_into_sub_topologies(nodes, topology.store_specs)
    choices = {_choice_of_version(name, written): choice for name, choice in topology.type_choices.items()}
    return Topology(nodes, topology.store_specs, found, topology.emit, choices, written)


def _choice_of_version(name: str, written: dict[str, str]) -> str:
    what, _, topic = name.partition(".")
    return f"{what}.{written[topic]}" if topic in written else name


def _of_version(node: Node, written: dict[str, str], version: str) -> Node:
    if isinstance(node, SinkNode):
        topic = node.topic
        return replace(node, topic=written[topic] if isinstance(topic, str) else _VersionedTopicChooser(topic, version))
    if isinstance(node, SourceNode) and not node.repartition and node.topic in written:
        return replace(node, topic=written[node.topic])
    return node


class _VersionedTopicChooser:
    """Appends a version to the topics that a function chooses."""

    __slots__ = ("choose", "version")

    def __init__(self, choose: Callable[..., str], version: str) -> None:
        self.choose = choose
        self.version = version

    def __call__(self, *record: Any) -> str:
        return f"{self.choose(*record)}-{self.version}"
