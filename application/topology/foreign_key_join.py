"""Joining a table with the rows that its foreign key points to, through two internal topics.

Left rows go to where their foreign key is, and take their values along, so that the answers need nothing that only the left
table has: no step waits for another that waits for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import require_types
from eddyline.application.topology.join_nodes import ForeignKeyAnswerNode, ForeignKeyResultNode, ForeignKeySubscribeNode
from eddyline.application.topology.nodes import Node, TableSourceNode, TableToStreamNode
from eddyline.application.topology.side import ANYTHING, How, Side, readable
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.types import returned_type, type_name
from eddyline.application.topology.views import StoredView

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.table import Table
    from eddyline.application.topology.views import JoinKind


def said(
    graph: Graph,
    sides: tuple[Side, Side],
    kind: JoinKind,
    foreign_key: Callable[[Any], Any],
    how: How,
) -> Table[Any, Any]:
    """The table of the joined rows, keyed as the left one.

    Raises TopologyError for a foreign key of another type than the right table's keys, for types that are not known, and for
    a right table that is kept nowhere.
    """
    left, right = sides
    store = how.store
    step = how.name or store or f"{left.origin}-{right.origin}-foreign-key-{kind.verb}"
    require_types(left.node, f"is moved by its foreign key in step '{step}'")
    require_types(right.node, f"is joined by a foreign key in step '{step}'")
    _check_foreign_key(step, foreign_key, right.node)
    if graph.are_connected(left.node.name, right.node.name):
        right = _copied(graph, right, step)
    right_view = readable(step, right)
    left_key: Any = left.node.key_type
    left_value: Any = left.node.value_type
    right_key: Any = right.node.key_type
    right_value: Any = right.node.value_type

    subscribing = graph.add(
        ForeignKeySubscribeNode(
            name=f"{step}-subscribe",
            parents=(left.node.name,),
            kind=kind,
            foreign_key=foreign_key,
            key_type=right_key,
            value_type=tuple[left_key, Optional[left_value], int, int],  # noqa: UP045 - types are values here
        )
    )
    subscriptions = graph.through_internal_topic(subscribing, f"{step}-subscription-registration-topic", null_keys=True)
    kept = graph.add_store(
        StoreSpec(
            name=f"{step}-subscription-store",
            kind=StoreKind.KEY_VALUE,
            key_type=tuple[right_key, left_key],
            value_type=tuple[left_value, int],
            timestamped=False,
            queryable=False,
        )
    )
    answering = graph.add(
        ForeignKeyAnswerNode(
            name=f"{step}-answer",
            parents=(subscriptions.name, right.node.name),
            sides=(subscriptions.name, right.node.name),
            stores=(kept.name, *right_view.stores),
            store=kept.name,
            right=right_view,
            key_type=left_key,
            value_type=tuple[Optional[left_value], Optional[right_value], int],  # noqa: UP045
        )
    )
    answers = graph.through_internal_topic(answering, f"{step}-subscription-response-topic")
    node = graph.add(
        ForeignKeyResultNode(
            name=step,
            parents=(answers.name,),
            stores=(store,) if store else (),
            kind=kind,
            joiner=how.joiner,
            with_key=how.with_key,
            store=store,
            key_type=left_key,
            value_type=how.value_type,
        )
    )
    if store:
        graph.keep(node, store)
    table: Table[Any, Any] = graph.handles.table(graph, node, origin=store or step, store=store)
    return table


def _check_foreign_key(step: str, foreign_key: Callable[[Any], Any], right: Node) -> None:
    found = returned_type(foreign_key)
    if found in ANYTHING or right.key_type in ANYTHING or found == right.key_type:
        return
    msg = (
        f"step '{step}' joins by a foreign key of type {type_name(found)}, but the keys of '{right.name}' "
        f"are {type_name(right.key_type)}; let foreign_key= give keys of that type"
    )
    raise TopologyError(msg)


def _copied(graph: Graph, right: Side, step: str) -> Side:
    """The right table once more, behind a topic of its own: it hangs together with the left one, and would wait for itself."""
    types: dict[str, Any] = {"key_type": right.node.key_type, "value_type": right.node.value_type}
    updates = graph.add(TableToStreamNode(name=f"{step}-right", parents=(right.node.name,), **types))
    source = graph.repartition(updates, f"{step}-right", None)
    store = f"{step}-right-store"
    table = graph.add(TableSourceNode(name=f"{step}-right-table", parents=(source.name,), stores=(store,), store=store, **types))
    graph.keep(table, store)
    return Side(table, right.origin, view=StoredView(store, StoreKind.KEY_VALUE))
