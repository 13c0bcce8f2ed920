"""A topology as a Mermaid flowchart, for web pages and Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from eddyline.application.topology.description.text import topic_of
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode
from eddyline.application.topology.sub_topologies import SubTopology

Direction: TypeAlias = Literal["LR", "TB"]
"""From left to right, or from top to bottom."""


def as_flowchart(
    nodes: Sequence[Node],
    sub_topologies: Sequence[SubTopology],
    stores: Iterable[str],
    notes: Mapping[str, str] | None = None,
    direction: Direction = "LR",
) -> str:
    """Return a flowchart with topics as stadiums, nodes as boxes and stores as cylinders, framed by sub-topology.

    Args:
        nodes: The nodes.
        sub_topologies: The sub-topologies.
        stores: The names of the stores.
        notes: Second lines in the boxes of nodes, by their names.
        direction: Where the arrows point.
    """
    labels = {node.name: node.name for node in nodes}
    for name, note in (notes or {}).items():
        labels[name] = f"{name}<br/>{note}"
    ids = {node.name: f"n{number}" for number, node in enumerate(nodes)}
    store_ids = {name: f"s{number}" for number, name in enumerate(stores)}
    topic_ids: dict[str, str] = {}
    lines = [f"flowchart {direction}"]
    framed: set[str] = set()
    for sub in sub_topologies:
        if not sub.nodes:
            continue
        lines.append(f'  subgraph sub{sub.index}["Sub-topology {sub.index}"]')
        lines.extend(f'    {ids[name]}["{labels[name]}"]' for name in sub.nodes)
        lines.extend(f'    {store_ids[name]}[("{name}")]' for name in sub.stores)
        lines.append("  end")
        framed.update(sub.nodes, sub.stores)
    lines.extend(f'  {ids[node.name]}["{labels[node.name]}"]' for node in nodes if node.name not in framed)
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
