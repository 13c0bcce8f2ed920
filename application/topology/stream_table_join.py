"""Joining a stream with a table: the row of the record's own key, or, of a global table, of a chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from application.topology.errors import TopologyError
from application.topology.graph import explicit
from application.topology.join_nodes import StreamTableJoinNode
from application.topology.side import common_key_type, readable
from application.topology.types import returned_type
from application.topology.views import JoinKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from application.topology.graph import Graph
    from application.topology.side import Side
    from application.topology.stream import Stream


def said(
    graph: Graph,
    left: Side,
    right: Side,
    kind: JoinKind,
    *,
    joiner: Callable[..., Any],
    value: Any,
    with_key: bool,
    name: str | None,
) -> Stream[Any, Any]:
    """The stream joined with a table. Raises TopologyError for key types that differ and for a table that is kept nowhere."""
    step = _step(graph, left, right, kind, name)
    key_type = common_key_type(step, left.node, right.node)
    view = readable(step, right)
    parent = graph.repartition(left.node, step, None) if left.rekeyed else left.node
    node = graph.add(
        StreamTableJoinNode(
            name=step,
            parents=(parent.name,),
            stores=view.stores,
            sides=(parent.name, right.node.name),
            kind=kind,
            joiner=joiner,
            with_key=with_key,
            table=view,
            key_type=key_type,
            value_type=explicit(value, returned_type(joiner)),
        )
    )
    stream: Stream[Any, Any] = graph.handles.stream(graph, node, origin=left.origin)
    return stream


def said_of_global(
    graph: Graph,
    left: Side,
    right: Side,
    kind: JoinKind,
    key_selector: Callable[[Any, Any], Any] | None,
    *,
    joiner: Callable[..., Any],
    value: Any,
    with_key: bool,
    name: str | None,
) -> Stream[Any, Any]:
    """The stream joined with a global table. Raises TopologyError when nothing chooses the key."""
    step = _step(graph, left, right, kind, name, repartitioned=False)
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
            joiner=joiner,
            with_key=with_key,
            table=view,
            key_selector=key_selector,
            key_type=left.node.key_type,
            value_type=explicit(value, returned_type(joiner)),
        )
    )
    stream: Stream[Any, Any] = graph.handles.stream(graph, node, origin=left.origin, rekeyed=left.rekeyed)
    return stream


def _step(graph: Graph, left: Side, right: Side, kind: JoinKind, name: str | None, *, repartitioned: bool = True) -> str:
    verb = "left-join" if kind.keeps_left else "join"
    base = f"{left.origin}-{right.origin}"
    if name is None and left.rekeyed and repartitioned:
        return f"{base}-{verb}"
    return graph.step_name(base, verb, name)
