"""A topology as a Mermaid flowchart, for pages and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.application.topology.describe import topic_of
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode

if TYPE_CHECKING:
    from eddyline.application.topology.topology import Topology


def as_flowchart(topology: Topology) -> str:
    """Topics as stadiums, steps as boxes, stores as cylinders; a frame around each sub-topology."""
    ids = {node.name: f"n{number}" for number, node in enumerate(topology.nodes)}
    store_ids = {name: f"s{number}" for number, name in enumerate(topology.stores)}
    topic_ids: dict[str, str] = {}
    lines = ["flowchart LR"]
    inside: set[str] = set()
    for sub in topology.sub_topologies:
        lines.append(f'  subgraph sub{sub.index}["Sub-topology {sub.index}"]')
        lines.extend(f'    {ids[name]}["{name}"]' for name in sub.nodes)
        lines.extend(f'    {store_ids[name]}[("{name}")]' for name in sub.stores)
        lines.append("  end")
        inside.update(sub.nodes, sub.stores)
    lines.extend(f'  {ids[node.name]}["{node.name}"]' for node in topology.nodes if node.name not in inside)
    lines.extend(f'  {store_ids[name]}[("{name}")]' for name in topology.stores if name not in inside)
    for node in topology.nodes:
        topic = topic_of(node)
        if topic and topic not in topic_ids:
            topic_ids[topic] = f"t{len(topic_ids)}"
            lines.append(f'  {topic_ids[topic]}(["{topic}"])')
    for node in topology.nodes:
        lines.extend(f"  {ids[parent]} --> {ids[node.name]}" for parent in dict.fromkeys(node.parents))
        lines.extend(f"  {ids[node.name]} -.- {store_ids[store]}" for store in node.stores)
        lines.extend(_topic_arrow(node, ids[node.name], topic_ids))
    return "\n".join(lines) + "\n"


def _topic_arrow(node: Node, step: str, topic_ids: dict[str, str]) -> list[str]:
    if isinstance(node, SourceNode):
        return [f"  {topic_ids[node.topic]} --> {step}"]
    if isinstance(node, SinkNode | RepartitionSinkNode):
        return [f"  {step} --> {topic_ids[topic_of(node)]}"]
    return []
