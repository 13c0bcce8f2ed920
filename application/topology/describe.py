"""A topology as text, in the layout that Kafka Streams prints: asserted in tests, read by people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eddyline.application.topology.topology import Topology


def as_text(topology: Topology) -> str:
    """The sub-topologies with their steps, each with its topics or stores, its children and its parents."""
    children = children_of(topology.nodes)
    lines = ["Topologies:"]
    for sub in topology.sub_topologies:
        lines.append(f"   Sub-topology: {sub.index}")
        for name in sub.nodes:
            lines.extend(_step(topology.by_name[name], children))
        lines.append("")
    apart = [node for node in topology.nodes if not any(node.name in sub.nodes for sub in topology.sub_topologies)]
    if apart:
        lines.append("   Global tables, in every task:")
        for node in apart:
            lines.extend(_step(node, children))
        lines.append("")
    return "\n".join(lines)


def children_of(nodes: Sequence[Node]) -> Mapping[str, list[str]]:
    """The names of the steps that hear each step, in the order in which they were said."""
    children: dict[str, list[str]] = {node.name: [] for node in nodes}
    for node in nodes:
        for parent in dict.fromkeys(node.parents):
            children[parent].append(node.name)
    return children


def topic_of(node: Node) -> str:
    """The topic of a source or sink for a reader; those that a function chooses are said to be so."""
    if isinstance(node, SourceNode | RepartitionSinkNode):
        return node.topic
    if isinstance(node, SinkNode):
        return node.topic if isinstance(node.topic, str) else "chosen by each record"
    return ""


def _step(node: Node, children: Mapping[str, list[str]]) -> Iterable[str]:
    if isinstance(node, SourceNode):
        yield f"    Source: {node.name} (topics: [{node.topic}])"
        yield f"      --> {_listed(children[node.name])}"
        return
    if isinstance(node, SinkNode | RepartitionSinkNode):
        yield f"    Sink: {node.name} (topic: {topic_of(node)})"
    else:
        yield f"    Processor: {node.name} (stores: [{', '.join(node.stores)}])"
        yield f"      --> {_listed(children[node.name])}"
    yield f"      <-- {_listed(node.parents)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
