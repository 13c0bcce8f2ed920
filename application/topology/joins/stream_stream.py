"""Stream-stream joins: a buffer for each side, and one for records without a match."""

from dataclasses import replace
from typing import Any

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Graph, StreamRef, check_types, common_key_type
from eddyline.application.topology.joins.join_spec import JoinSpec
from eddyline.application.topology.joins.stream_joined import StreamJoined, check_no_stores, check_settings
from eddyline.application.topology.nodes import JoinKind, Node, StreamStreamJoinNode, StreamStreamUntilJoinNode
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import JoinWindows, tumbling


def add_until_join(
    graph: Graph, name: str, stores: str, left: Node, right: Node, spec: JoinSpec, windows: JoinWindows
) -> StreamRef:
    """Add the join of two partitioned nodes with keys of one type; the names of its stores begin with `stores`."""
    key_type = left.key_type
    left_store = graph.add_store(
        _store(f"{stores}-left-store", StoreKind.KEY_VALUE, key_type, list[tuple[int, int, left.value_type]])  # type: ignore[name-defined]
    )
    ends_store = graph.add_store(_store(f"{stores}-ends-store", StoreKind.KEY_VALUE, tuple[int, key_type], bool))  # type: ignore[valid-type]
    right_store = graph.add_store(
        _store(
            f"{stores}-right-store",
            StoreKind.WINDOW,
            key_type,
            list[right.value_type],  # type: ignore[name-defined]
            retention_ms=max(1, windows.before_ms + windows.grace_ms + 1),
        )
    )
    parents = (left.name, right.name)
    node = graph.add(
        StreamStreamUntilJoinNode(
            name=name,
            parents=parents,
            stores=(left_store.name, ends_store.name, right_store.name),
            copartitioned=parents,
            kind=spec.kind,
            joiner=spec.joiner,
            with_key=spec.with_key,
            condition=spec.condition,
            windows=windows,
            left_store=left_store.name,
            ends_store=ends_store.name,
            right_store=right_store.name,
            key_type=key_type,
            value_type=spec.value_type,
        )
    )
    return StreamRef(node, origin=name)


def _store(name: str, kind: StoreKind, key_type: object, value_type: object, retention_ms: int | None = None) -> StoreSpec:
    return StoreSpec(
        name=name,
        kind=kind,
        key_type=key_type,
        value_type=value_type,
        timestamped=False,
        retention_ms=retention_ms,
        queryable=False,
    )


_DEFAULT_STORES = StreamJoined()


def add_stream_stream_join(
    graph: Graph,
    left: StreamRef,
    right: StreamRef,
    spec: JoinSpec,
    windows: JoinWindows,
    joined: StreamJoined | None = None,
) -> StreamRef:
    """Add the join of two streams and return the stream of joined records.

    Raises:
        TopologyError: If the key types differ, types of keys or values are unknown, a store that the user chose does not fit
            the window, or the window is only for inner joins.
    """
    joined = joined or _DEFAULT_STORES
    name = spec.name or f"{left.origin}-{right.origin}-{spec.kind.operator}"
    if spec.kind is not JoinKind.INNER and (windows.unlimited or windows.until is not None):
        windowing = "without bounds" if windows.unlimited else "that ends as until= says"
        msg = (
            f"join '{name}' is a {spec.kind.value} join in a window {windowing}, which only inner joins may have; "
            "use join(…), or join_windows(before=…, after=…, grace=…)"
        )
        raise TopologyError(msg)
    key_type = common_key_type(name, left.node, right.node)
    left_node = _partitioned(graph, left, f"{name}-left", null_keys=spec.kind.keeps_left)
    right_node = _partitioned(graph, right, f"{name}-right", null_keys=spec.kind.keeps_right)
    for node in (left_node, right_node):
        check_types(node, f"for the buffers of join '{name}'")
    stores = joined.store_name or name
    if windows.until is not None:
        check_no_stores(name, joined)
        return add_until_join(graph, name, stores, left_node, right_node, spec, windows)
    left_store = _add_buffer(graph, name, joined.this_store or _buffer(f"{stores}-left-store", windows), left_node, windows)
    right_store = _add_buffer(graph, name, joined.other_store or _buffer(f"{stores}-right-store", windows), right_node, windows)
    unmatched_store = None
    if spec.kind.keeps_left:
        unmatched_store = _add_unmatched_buffer(graph, f"{stores}-unmatched-store", key_type, left_node, right_node)
    parents = (left_node.name, right_node.name)
    node = graph.add(
        StreamStreamJoinNode(
            name=name,
            parents=parents,
            stores=(left_store, right_store, *([unmatched_store] if unmatched_store else ())),
            copartitioned=parents,
            kind=spec.kind,
            joiner=spec.joiner,
            with_key=spec.with_key,
            windows=windows,
            condition=spec.condition,
            left_store=left_store,
            right_store=right_store,
            unmatched_store=unmatched_store,
            key_type=key_type,
            value_type=spec.value_type,
        )
    )
    return StreamRef(node, origin=name)


def _partitioned(graph: Graph, side: StreamRef, name: str, *, null_keys: bool) -> Node:
    """Return a node whose records are partitioned by key; with `null_keys` a repartition keeps records without a key."""
    return graph.repartition(side.node, name, None, null_keys=null_keys) if side.rekeyed else side.node


def _buffer(name: str, windows: JoinWindows) -> StoreSpec:
    """Return the store of one side that has the settings of the join."""
    size = windows.size_ms
    return StoreSpec(name=name, kind=StoreKind.WINDOW, retention_ms=windows.retention_ms, windows=tumbling(size, grace=0))


def _add_buffer(graph: Graph, join: str, spec: StoreSpec, parent: Node, windows: JoinWindows) -> str:
    """Add the store of one side: the values of a key and timestamp, in the order in which they arrived."""
    check_settings(join, spec, windows)
    if spec.kind is StoreKind.WINDOW:
        value_type: object = list[parent.value_type]  # type: ignore[name-defined] # types are values here
        spec = replace(spec, key_type=parent.key_type, value_type=value_type, timestamped=False, windows=None)
    return graph.add_store(replace(spec, internal=True)).name


def _add_unmatched_buffer(graph: Graph, name: str, key_type: Any, left: Node, right: Node) -> str:
    """Add the store of records without a match: by (timestamp, side, key), where right is 0 and left is 1, (lefts, rights)."""
    return graph.add_store(
        StoreSpec(
            name=name,
            kind=StoreKind.KEY_VALUE,
            key_type=tuple[int, int, key_type],
            value_type=tuple[list[left.value_type], list[right.value_type]],  # type: ignore[name-defined] # types are values here
            timestamped=False,
            internal=True,
        )
    ).name
