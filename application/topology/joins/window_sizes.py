"""The sizes of the time windows that the keys of two sides of a join are in."""

from eddyline.application.topology.graph import Graph
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SourceNode, TableTableJoinNode
from eddyline.application.topology.windows import TimeWindows, Windows


def different_sizes(graph: Graph, left: Node, right: Node) -> tuple[int, int] | None:
    """Return the sizes in ms of the time windows of both sides if they differ, None if not, or if they are not known.

    Keys in time windows are equal if the windows start at the same time, as in Kafka, where the end is not in the key.
    """
    left_ms, right_ms = _size_ms(graph, left), _size_ms(graph, right)
    return None if left_ms is None or right_ms is None or left_ms == right_ms else (left_ms, right_ms)


def _size_ms(graph: Graph, node: Node) -> int | None:
    windows = getattr(node, "windows", None)
    if isinstance(windows, Windows):
        return windows.size_ms if isinstance(windows, TimeWindows) else None
    if isinstance(node, SourceNode | RepartitionSinkNode):
        return None
    parents = node.parents[:1] if isinstance(node, TableTableJoinNode) else node.parents
    sizes = {_size_ms(graph, graph.node(parent)) for parent in parents}
    return sizes.pop() if len(sizes) == 1 else None
