"""Joining a stream with a table: the row of the record's own key, or, of a global table, of a chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.join_nodes import StreamTableJoinNode
from eddyline.application.topology.side import common_key_type, readable

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.side import How, Side
    from eddyline.application.topology.stream import Stream
    from eddyline.application.topology.views import JoinKind


def said(
    graph: Graph,
    sides: tuple[Side, Side],
    kind: JoinKind,
    how: How,
) -> Stream[Any, Any]:
    """The stream joined with a table. Raises TopologyError for key types that differ and for a table that is kept nowhere."""
    left, right = sides
    step = _step(graph, sides, kind, how)
    key_type = common_key_type(step, left.node, right.node)
    view = readable(step, right)
    parent = graph.repartition(left.node, step, None, null_keys=kind.keeps_left) if left.rekeyed else left.node
    node = graph.add(
        StreamTableJoinNode(
            name=step,
            parents=(parent.name,),
            stores=view.stores,
            sides=(parent.name, right.node.name),
            kind=kind,
            joiner=how.joiner,
            with_key=how.with_key,
            table=view,
            key_type=key_type,
            value_type=how.value_type,
        )
    )
    stream: Stream[Any, Any] = graph.handles.stream(graph, node, origin=left.origin)
    return stream


def said_of_global(
    graph: Graph,
    sides: tuple[Side, Side],
    kind: JoinKind,
    key_selector: Callable[[Any, Any], Any] | None,
    how: How,
) -> Stream[Any, Any]:
    """The stream joined with a global table. Raises TopologyError when nothing chooses the key."""
    left, right = sides
    step = _step(graph, sides, kind, how, repartitioned=False)
    if key_selector is None:
        msg = f"step '{step}' joins a global table; choose the key of its rows with key_selector=, from key and value"
        raise TopologyError(msg)
    view = readable(step, right)
    node = graph.add(
        StreamTableJoinNode(
            name=step,
            parents=(left.node.name,),
            stores=view.stores,
            kind=kind,
            joiner=how.joiner,
            with_key=how.with_key,
            table=view,
            key_selector=key_selector,
            key_type=left.node.key_type,
            value_type=how.value_type,
        )
    )
    stream: Stream[Any, Any] = graph.handles.stream(graph, node, origin=left.origin, rekeyed=left.rekeyed)
    return stream


def _step(graph: Graph, sides: tuple[Side, Side], kind: JoinKind, how: How, *, repartitioned: bool = True) -> str:
    """The step's name; it is not numbered where a topic is named after it."""
    base = f"{sides[0].origin}-{sides[1].origin}"
    if how.name is None and sides[0].rekeyed and repartitioned:
        return f"{base}-{kind.verb}"
    return graph.step_name(base, kind.verb, how.name)
