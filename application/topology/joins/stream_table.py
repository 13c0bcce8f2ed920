"""Stream-table joins: with the row of the record's own key, or with a row of a global table."""

from collections.abc import Callable
from typing import Any

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Graph, StreamRef, TableRef, common_key_type
from eddyline.application.topology.joins.join_spec import JoinSpec
from eddyline.application.topology.nodes import StreamTableJoinNode


def add_stream_table_join(graph: Graph, left: StreamRef, right: TableRef, spec: JoinSpec) -> StreamRef:
    """Add the join of a stream with a table and return the stream of joined records.

    Raises:
        TopologyError: If the key types differ, or the table has no store.
    """
    name = _name(graph, left, right, spec, repartitioned=left.rekeyed)
    key_type = common_key_type(name, left.node, right.node)
    table = graph.value_getter(name, right)
    parent = graph.repartition(left.node, name, None, null_keys=spec.kind.keeps_left) if left.rekeyed else left.node
    node = graph.add(
        StreamTableJoinNode(
            name=name,
            parents=(parent.name,),
            stores=table.stores,
            copartitioned=(parent.name, right.node.name),
            kind=spec.kind,
            joiner=spec.joiner,
            with_key=spec.with_key,
            table=table,
            key_type=key_type,
            value_type=spec.value_type,
        )
    )
    return StreamRef(node, origin=left.origin)


def add_stream_global_table_join(
    graph: Graph, left: StreamRef, right: TableRef, spec: JoinSpec, key_selector: Callable[[Any, Any], Any] | None
) -> StreamRef:
    """Add the join of a stream with a global table and return the stream of joined records.

    Raises:
        TopologyError: If `key_selector` is None.
    """
    name = _name(graph, left, right, spec, repartitioned=False)
    if key_selector is None:
        msg = (
            f"operator '{name}' joins the global table '{right.node.name}' without a key; "
            "pass key_selector=, a function of the record's key and value that returns the key of the row"
        )
        raise TopologyError(msg)
    table = graph.value_getter(name, right)
    node = graph.add(
        StreamTableJoinNode(
            name=name,
            parents=(left.node.name,),
            stores=table.stores,
            kind=spec.kind,
            joiner=spec.joiner,
            with_key=spec.with_key,
            table=table,
            key_selector=key_selector,
            key_type=left.node.key_type,
            value_type=spec.value_type,
        )
    )
    return StreamRef(node, origin=left.origin, rekeyed=left.rekeyed)


def _name(graph: Graph, left: StreamRef, right: TableRef, spec: JoinSpec, *, repartitioned: bool) -> str:
    """Return the name of the node; it is never numbered if a repartition topic is named after it."""
    origin = f"{left.origin}-{right.origin}"
    if spec.name is None and repartitioned:
        return f"{origin}-{spec.kind.operator}"
    return graph.node_name(origin, spec.kind.operator, spec.name)
