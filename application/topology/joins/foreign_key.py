"""Foreign-key joins of tables, through two internal topics.

Left rows are sent, with their values, to the task of the right row that their foreign key refers to. So the responses need
nothing from the left table, and no sub-topology waits for its own output.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Optional

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import ANY_KEY_TYPE, Graph, TableRef, check_types
from eddyline.application.topology.joins.join_spec import JoinSpec
from eddyline.application.topology.nodes import (
    ForeignKeyResponseNode,
    ForeignKeyResultNode,
    ForeignKeySubscriptionNode,
    Node,
    TableSourceNode,
    TableToStreamNode,
)
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.types import returned_type, type_name


def add_foreign_key_join(
    graph: Graph, left: TableRef, right: TableRef, spec: JoinSpec, foreign_key: Callable[[Any], Any]
) -> TableRef:
    """Add the join of a table with the rows that its foreign key refers to; return the joined table, keyed as the left one.

    Raises:
        TopologyError: If the foreign key has another type than the keys of the right table, types of keys or values are
            unknown, or the right table has no store.
    """
    store = spec.store
    name = spec.name or store or f"{left.origin}-{right.origin}-foreign-key-{spec.kind.operator}"
    check_types(left.node, f"for the foreign-key join '{name}'")
    check_types(right.node, f"for the foreign-key join '{name}'")
    _check_foreign_key(name, foreign_key, right.node)
    for side in (right, left):
        graph.old_values.enable(side.node.name)
    if graph.are_connected(left.node.name, right.node.name):
        right = _add_copy(graph, right, name)
    right_getter = graph.value_getter(name, right)
    left_key: Any = left.node.key_type
    left_value: Any = left.node.value_type
    right_key: Any = right.node.key_type
    right_value: Any = right.node.value_type

    subscription = graph.add(
        ForeignKeySubscriptionNode(
            name=f"{name}-subscribe",
            parents=(left.node.name,),
            kind=spec.kind,
            foreign_key=foreign_key,
            versioned_store=left.versioned_store,
            stores=() if left.versioned_store is None else (left.versioned_store,),
            key_type=right_key,
            value_type=tuple[left_key, Optional[left_value], int, int],  # noqa: UP045 - types are values here
        )
    )
    subscriptions = graph.through_internal_topic(subscription, f"{name}-subscription-registration-topic", null_keys=True)
    subscription_store = graph.add_store(
        StoreSpec(
            name=f"{name}-subscription-store",
            kind=StoreKind.KEY_VALUE,
            key_type=tuple[right_key, left_key],
            value_type=tuple[left_value, int],
            timestamped=False,
            internal=True,
        )
    ).name
    response = graph.add(
        ForeignKeyResponseNode(
            name=f"{name}-answer",
            parents=(subscriptions.name, right.node.name),
            copartitioned=(subscriptions.name, right.node.name),
            stores=(subscription_store, *right_getter.stores),
            store=subscription_store,
            right=right_getter,
            key_type=left_key,
            value_type=tuple[Optional[left_value], Optional[right_value], int],  # noqa: UP045 - types are values here
        )
    )
    responses = graph.through_internal_topic(response, f"{name}-subscription-response-topic")
    node = graph.add(
        ForeignKeyResultNode(
            name=name,
            parents=(responses.name,),
            stores=(store,) if store else (),
            kind=spec.kind,
            joiner=spec.joiner,
            with_key=spec.with_key,
            store=store,
            key_type=left_key,
            value_type=spec.value_type,
        )
    )
    if not store:
        return TableRef(node, origin=name)
    graph.old_values.materialize(node.name)
    return graph.add_table_store(node, store)


def _check_foreign_key(name: str, foreign_key: Callable[[Any], Any], right: Node) -> None:
    found = returned_type(foreign_key)
    if found in ANY_KEY_TYPE or right.key_type in ANY_KEY_TYPE or found == right.key_type:
        return
    msg = (
        f"operator '{name}' has a foreign key of type {type_name(found)}, but joins '{right.name}' with keys of type "
        f"{type_name(right.key_type)}; pass a foreign_key= function that returns {type_name(right.key_type)}"
    )
    raise TopologyError(msg)


def _add_copy(graph: Graph, right: TableRef, name: str) -> TableRef:
    """Add a copy of the right table behind a repartition topic, since its sub-topology would wait for its own output."""
    types: dict[str, Any] = {"key_type": right.node.key_type, "value_type": right.node.value_type}
    updates = graph.add(TableToStreamNode(name=f"{name}-right", parents=(right.node.name,), **types))
    source = graph.repartition(updates, f"{name}-right", None)
    store = f"{name}-right-store"
    if right.versioned_store is not None:
        graph.chosen_store(replace(graph.store(right.versioned_store), name=store))
    table = graph.add(TableSourceNode(name=f"{name}-right-table", parents=(source.name,), stores=(store,), store=store, **types))
    return graph.add_table_store(table, store)
