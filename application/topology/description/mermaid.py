"""A topology as a Mermaid flowchart, for web pages and Markdown."""

from collections.abc import Iterable, Sequence

from eddyline.application.topology.description.text import topic_of
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode
from eddyline.application.topology.sub_topologies import SubTopology


def as_flowchart(nodes: Sequence[Node], sub_topologies: Sequence[SubTopology], stores: Iterable[str]) -> str:
    """Return a flowchart with topics as stadiums, nodes as boxes and stores as cylinders, framed by sub-topology."""
    ids = {node.name: f"n{number}" for number, node in enumerate(nodes)}
    store_ids = {name: f"s{number}" for number, name in enumerate(stores)}
    topic_ids: dict[str, str] = {}
    lines = ["flowchart LR"]
    framed: set[str] = set()
    for sub in sub_topologies:
        lines.append(f'  subgraph sub{sub.index}["Sub-topology {sub.index}"]')
        lines.extend(f'    {ids[name]}["{name}"]' for name in sub.nodes)
        lines.extend(f'    {store_ids[name]}[("{name}")]' for name in sub.stores)
        lines.append("  end")
        framed.update(sub.nodes, sub.stores)
    lines.extend(f'  {ids[node.name]}["{node.name}"]' for node in nodes if node.name not in framed)
    lines.extend(f'  {store_id}[("{name}")]' for name, store_id in store_ids.items() if name not in framed)
    for node in nodes:
        topic = topic_of(node)
        if topic and topic not in topic_ids:
            topic_ids[topic] = f"t{len(topic_ids)}"
            lines.append(f'  {topic_ids[topic]}(["{topic}"])')
    for node in nodes:
        lines.extend(f"  {ids[parent]} --> {ids[node.name]}" for parent in dict.fromkeys(node.parents))
        lines.extend(f"  {ids[node.name]} -.- {store_ids[store]}" for store in node.stores)
        lines.extend(_topic_arrow(node, ids[node.name], topic_ids))
    return "\n".join(lines) + "\n"


def _topic_arrow(node: Node, node_id: str, topic_ids: dict[str, str]) -> list[str]:
    if isinstance(node, SourceNode):
        return [f"  {topic_ids[node.topic]} --> {node_id}"]
    if isinstance(node, SinkNode | RepartitionSinkNode):
        return [f"  {node_id} --> {topic_ids[topic_of(node)]}"]
    return []
