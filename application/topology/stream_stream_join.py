"""Joining two streams: the stores that it takes, the repartitions that it owes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.topology.graph import require_types
from eddyline.application.topology.join_nodes import StreamStreamJoinNode
from eddyline.application.topology.side import common_key_type
from eddyline.application.topology.stores import StoreKind, StoreSpec

if TYPE_CHECKING:
    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.join_windows import JoinWindows
    from eddyline.application.topology.nodes import Node
    from eddyline.application.topology.side import How, Side
    from eddyline.application.topology.stream import Stream
    from eddyline.application.topology.views import JoinKind

_SIDES = ("left", "right")


def said(
    graph: Graph,
    sides: tuple[Side, Side],
    kind: JoinKind,
    windows: JoinWindows,
    how: How,
) -> Stream[Any, Any]:
    """The stream of the joined records. Raises TopologyError for key types that differ and for types that are not known."""
    left, right = sides
    step = how.name or f"{left.origin}-{right.origin}-{kind.verb}"
    key_type = common_key_type(step, left.node, right.node)
    parents = tuple(
        graph.repartition(side.node, f"{step}-{which}", None, null_keys=keeps) if side.rekeyed else side.node
        for side, which, keeps in zip(sides, _SIDES, (kind.keeps_left, kind.keeps_right), strict=True)
    )
    for parent in parents:
        require_types(parent, f"is kept for the join of step '{step}'")
    buffers = tuple(
        _buffer(graph, f"{step}-{which}-store", key_type, parent, windows) for parent, which in zip(parents, _SIDES, strict=True)
    )
    unmatched = _unmatched(graph, f"{step}-unmatched-store", key_type, *parents) if kind.keeps_left else None
    node = graph.add(
        StreamStreamJoinNode(
            name=step,
            parents=tuple(parent.name for parent in parents),
            stores=(*buffers, unmatched) if unmatched else buffers,
            sides=tuple(parent.name for parent in parents),
            kind=kind,
            joiner=how.joiner,
            with_key=how.with_key,
            windows=windows,
            left_store=buffers[0],
            right_store=buffers[1],
            unmatched_store=unmatched,
            key_type=key_type,
            value_type=how.value_type,
        )
    )
    stream: Stream[Any, Any] = graph.handles.stream(graph, node, origin=step)
    return stream


def _buffer(graph: Graph, name: str, key_type: Any, parent: Node, windows: JoinWindows) -> str:
    """A store of the values that a key has at a time, in the order in which they came."""
    return graph.add_store(
        StoreSpec(
            name=name,
            kind=StoreKind.WINDOW,
            key_type=key_type,
            value_type=list[parent.value_type],  # type: ignore[name-defined] # types are values here
            timestamped=False,
            retention_ms=windows.retention_ms,
            queryable=False,
        )
    ).name


def _unmatched(graph: Graph, name: str, key_type: Any, left: Node, right: Node) -> str:
    """A store of the records that wait: by time, side (0 is right, 1 is left) and key the values of the left and of the right."""
    return graph.add_store(
        StoreSpec(
            name=name,
            kind=StoreKind.KEY_VALUE,
            key_type=tuple[int, int, key_type],
            value_type=tuple[list[left.value_type], list[right.value_type]],  # type: ignore[name-defined]
            timestamped=False,
            queryable=False,
        )
    ).name
