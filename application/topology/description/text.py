"""A topology as text, in the format of Kafka Streams' `Topology.describe()`."""

from collections.abc import Iterable, Mapping, Sequence

from eddyline.application.topology.errors import listed
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode
from eddyline.application.topology.sub_topologies import SubTopology


def as_text(nodes: Sequence[Node], sub_topologies: Sequence[SubTopology]) -> str:
    """Return the sub-topologies with their nodes, each with its topic or stores, its children and its parents.

    As in Kafka Streams, the nodes of a sub-topology are ordered by the number of nodes downstream, then by name. Those of global
    tables and stores, which have no tasks, are after the others, so that the numbers are those in the ids of tasks.
    """
    by_name = {node.name: node for node in nodes}
    children = _children_of(nodes)
    text = "Topologies:\n "
    for sub in sub_topologies:
        if sub.nodes:
            text += f"  Sub-topology: {sub.index}\n{_text_of([by_name[name] for name in sub.nodes], children)}\n"
    global_nodes = [node for node in nodes if not any(node.name in sub.nodes for sub in sub_topologies)]
    sources = [node for node in global_nodes if not node.parents]
    for number, source in enumerate(sources, sum(bool(sub.nodes) for sub in sub_topologies)):
        group = [node for node in global_nodes if node is source or source.name in node.parents]
        text += f"  Sub-topology: {number} for global store (will not generate tasks)\n{_text_of(group, children)}"
    return text


def _text_of(nodes: Sequence[Node], children: Mapping[str, list[str]]) -> str:
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in sizes:
            sizes[name] = 1 + sum(map(size, children[name]))
        return sizes[name]

    ordered = sorted(nodes, key=lambda node: (-size(node.name), node.name))
    return "".join(f"{line}\n" for node in ordered for line in _lines(node, children))


def topic_of(node: Node) -> str:
    """Return the topic of a source or sink as a reader sees it, the empty string for other nodes."""
    if isinstance(node, SourceNode | RepartitionSinkNode):
        return node.topic
    if isinstance(node, SinkNode):
        return node.topic if isinstance(node.topic, str) else "chosen by each record"
    return ""


def _children_of(nodes: Sequence[Node]) -> Mapping[str, list[str]]:
    """Return the names of the children of each node, sorted."""
    children: dict[str, list[str]] = {node.name: [] for node in nodes}
    for node in nodes:
        for parent in dict.fromkeys(node.parents):
            children[parent].append(node.name)
    return {name: sorted(found) for name, found in children.items()}


def _lines(node: Node, children: Mapping[str, list[str]]) -> Iterable[str]:
    if isinstance(node, SourceNode):
        topics = f"[{node.topic}]" if node.pattern is None else node.pattern.pattern
        yield f"    Source: {node.name} (topics: {topics})"
        yield f"      --> {listed(children[node.name])}"
        return
    if isinstance(node, SinkNode | RepartitionSinkNode):
        yield f"    Sink: {node.name} ({_target_of(node)})"
    else:
        yield f"    Processor: {node.name} (stores: [{', '.join(node.stores)}])"
        yield f"      --> {listed(children[node.name])}"
    yield f"      <-- {listed(node.parents)}"


def _target_of(node: SinkNode | RepartitionSinkNode) -> str:
    if isinstance(node.topic, str):
        return f"topic: {node.topic}"
    return f"extractor class: {getattr(node.topic, '__qualname__', type(node.topic).__qualname__)}"
