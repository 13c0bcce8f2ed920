"""What follows a node, where paths of many records at once are looked for."""

from collections.abc import Sequence

from eddyline.application.topology.nodes import Node, SinkNode


def only_child(nodes: Sequence[Node], name: str) -> Node | None:
    """Return the child of the node with a name, None if it has none or several."""
    children = [child for child in nodes if name in child.parents]
    return children[0] if len(children) == 1 else None


def fixed_topic(sink: SinkNode) -> str | None:
    """Return the topic of a sink, None if a function chooses the topic or the partition of each record."""
    return sink.topic if isinstance(sink.topic, str) and sink.partitioner is None else None
