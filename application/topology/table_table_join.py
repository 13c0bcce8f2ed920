"""Joining two tables by equal keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.topology.join_nodes import TableTableJoinNode
from eddyline.application.topology.side import common_key_type, readable
from eddyline.application.topology.views import JoinedView

if TYPE_CHECKING:
    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.side import How, Side
    from eddyline.application.topology.table import Table
    from eddyline.application.topology.views import JoinKind


def said(
    graph: Graph,
    sides: tuple[Side, Side],
    kind: JoinKind,
    how: How,
) -> Table[Any, Any]:
    """The table of the joined rows. Raises TopologyError for key types that differ and for a table that is kept nowhere."""
    left, right = sides
    store = how.store
    origin = store or f"{left.origin}-{right.origin}"
    step = graph.step_name(origin, kind.verb, how.name)
    left_view, right_view = readable(step, left), readable(step, right)
    view = JoinedView(left_view, right_view, kind, how.joiner, how.with_key)
    node = graph.add(
        TableTableJoinNode(
            name=step,
            parents=(left.node.name, right.node.name),
            stores=(*view.stores, store) if store else view.stores,
            sides=(left.node.name, right.node.name),
            kind=kind,
            joiner=how.joiner,
            with_key=how.with_key,
            left=left_view,
            right=right_view,
            store=store,
            key_type=common_key_type(step, left.node, right.node),
            value_type=how.value_type,
        )
    )
    if store:
        graph.keep(node, store)
    table: Table[Any, Any] = graph.handles.table(graph, node, origin=origin, store=store, view=None if store else view)
    return table
