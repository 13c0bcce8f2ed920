"""Stream-table joins: with the row of the record's own key, or with a row of a global table."""

from collections.abc import Callable
from typing import Any

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Graph, StreamRef, TableRef, check_types, common_key_type
from eddyline.application.topology.joins.join_spec import JoinSpec
from eddyline.application.topology.joins.window_sizes import different_sizes
from eddyline.application.topology.nodes import JoinBuffer, Node, StreamTableJoinNode, WindowSizeValueGetter
from eddyline.application.topology.records import Headers
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import Duration, milliseconds


def add_stream_table_join(
    graph: Graph, left: StreamRef, right: TableRef, spec: JoinSpec, grace: Duration | None = None
) -> StreamRef:
    """Add the join of a stream with a table and return the stream of joined records.

    Raises:
        TopologyError: If the key types differ, or the table has no store; with a grace period, if the table is not versioned,
            or its history is shorter.
    """
    grace_ms = None if grace is None else milliseconds(grace, "the grace period of a stream-table join")
    name = _name(graph, left, right, spec, repartitioned=left.rekeyed or grace_ms is not None)
    key_type = common_key_type(name, left.node, right.node)
    table, sizes = graph.value_getter(name, right), different_sizes(graph, left.node, right.node)
    if sizes is not None:
        table = WindowSizeValueGetter(table, sizes[1])
    parent = graph.repartition(left.node, name, None, null_keys=spec.kind.keeps_left) if left.rekeyed else left.node
    buffer = None if grace_ms is None else _add_buffer(graph, name, parent, right, grace_ms)
    node = graph.add(
        StreamTableJoinNode(
            name=name,
            parents=(parent.name,),
            stores=(*table.stores, *(() if buffer is None else (buffer.store,))),
            copartitioned=(parent.name, right.node.name),
            kind=spec.kind,
            joiner=spec.joiner,
            with_key=spec.with_key,
            table=table,
            buffer=buffer,
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


def _add_buffer(graph: Graph, join: str, stream: Node, table: TableRef, grace_ms: int) -> JoinBuffer:
    """Add the store of the records that wait: value and headers by (timestamp, key, number of arrival)."""
    retention_ms = None if table.versioned_store is None else graph.store(table.versioned_store).retention_ms
    if retention_ms is None:
        msg = (
            f"join '{join}' has a grace period, but table '{table.node.name}' is not versioned; "
            "pass store=versioned_key_value_store(…) to the table, or join without grace="
        )
        raise TopologyError(msg)
    if grace_ms > retention_ms:
        msg = (
            f"join '{join}' has a grace period of {grace_ms} ms, but store '{table.versioned_store}' keeps a history of only "
            f"{retention_ms} ms; pass a history_retention= of at least {grace_ms} ms"
        )
        raise TopologyError(msg)
    check_types(stream, f"for the buffer of join '{join}'")
    key_type: Any = stream.key_type
    value_type: Any = stream.value_type
    store = graph.add_store(
        StoreSpec(
            name=f"{join}-buffer-store",
            kind=StoreKind.KEY_VALUE,
            key_type=tuple[int, key_type, int],
            value_type=tuple[value_type, Headers],
            timestamped=False,
            internal=True,
        )
    )
    return JoinBuffer(store.name, grace_ms)


def _name(graph: Graph, left: StreamRef, right: TableRef, spec: JoinSpec, *, repartitioned: bool) -> str:
    """Return the name of the node; it is never numbered if a repartition topic or a store is named after it."""
    origin = f"{left.origin}-{right.origin}"
    if spec.name is None and repartitioned:
        return f"{origin}-{spec.kind.operator}"
    return graph.node_name(origin, spec.kind.operator, spec.name)
