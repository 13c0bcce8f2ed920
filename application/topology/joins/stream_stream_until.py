"""Stream-stream joins in windows that end as a function of the left value says: their stores."""

from eddyline.application.topology.graph import Graph, StreamRef
from eddyline.application.topology.joins.join_spec import JoinSpec
from eddyline.application.topology.nodes import Node, StreamStreamUntilJoinNode
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import JoinWindows


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
