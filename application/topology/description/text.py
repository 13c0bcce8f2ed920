"""A topology as text, in the format of Kafka Streams' `Topology.describe()`."""

from collections.abc import Iterable, Mapping, Sequence

from eddyline.application.topology.errors import listed
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode
from eddyline.application.topology.sub_topologies import SubTopology


def as_text(nodes: Sequence[Node], sub_topologies: Sequence[SubTopology]) -> str:
    """Return the sub-topologies with their nodes, each with its topic or stores, its children and its parents."""
    by_name = {node.name: node for node in nodes}
    children = _children_of(nodes)
    lines = ["Topologies:"]
    for sub in sub_topologies:
        lines.append(f"   Sub-topology: {sub.index}")
        for name in sub.nodes:
            lines.extend(_lines(by_name[name], children))
        lines.append("")
    global_nodes = [node for node in nodes if not any(node.name in sub.nodes for sub in sub_topologies)]
    if global_nodes:
        lines.append("   Global tables, in every task:")
        for node in global_nodes:
            lines.extend(_lines(node, children))
        lines.append("")
    return "\n".join(lines)


def topic_of(node: Node) -> str:
    """Return the topic of a source or sink as a reader sees it, the empty string for other nodes."""
    if isinstance(node, SourceNode | RepartitionSinkNode):
        return node.topic
    if isinstance(node, SinkNode):
        return node.topic if isinstance(node.topic, str) else "chosen by each record"
    return ""


def _children_of(nodes: Sequence[Node]) -> Mapping[str, list[str]]:
    """Return the names of the children of each node, in the order in which they were added."""
    children: dict[str, list[str]] = {node.name: [] for node in nodes}
    for node in nodes:
        for parent in dict.fromkeys(node.parents):
            children[parent].append(node.name)
    return children


def _lines(node: Node, children: Mapping[str, list[str]]) -> Iterable[str]:
    if isinstance(node, SourceNode):
        yield f"    Source: {node.name} (topics: [{node.topic}])"
        yield f"      --> {listed(children[node.name])}"
        return
    if isinstance(node, SinkNode | RepartitionSinkNode):
        yield f"    Sink: {node.name} (topic: {topic_of(node)})"
    else:
        yield f"    Processor: {node.name} (stores: [{', '.join(node.stores)}])"
        yield f"      --> {listed(children[node.name])}"
    yield f"      <-- {listed(node.parents)}"
