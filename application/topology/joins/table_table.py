"""Table-table joins by equal keys."""

from eddyline.application.topology.graph import Graph, TableRef, common_key_type
from eddyline.application.topology.joins.join_spec import JoinSpec
from eddyline.application.topology.joins.window_sizes import different_sizes
from eddyline.application.topology.nodes import JoinedValueGetter, TableTableJoinNode, WindowSizeValueGetter


def add_table_table_join(graph: Graph, left: TableRef, right: TableRef, spec: JoinSpec) -> TableRef:
    """Add the join of two tables by equal keys and return the table of joined rows.

    Raises:
        TopologyError: If the key types differ, or one of the tables has no store.
    """
    store = spec.store
    origin = store or f"{left.origin}-{right.origin}"
    name = graph.node_name(origin, spec.kind.operator, spec.name)
    for side, keeps in ((left, spec.kind.keeps_left), (right, spec.kind.keeps_right)):
        if keeps:
            graph.old_values.enable(side.node.name)
    left_getter, right_getter = graph.value_getter(name, left), graph.value_getter(name, right)
    sizes = different_sizes(graph, left.node, right.node)
    if sizes is not None:
        right_getter = WindowSizeValueGetter(right_getter, sizes[1])
    getter = JoinedValueGetter(left_getter, right_getter, spec.kind, spec.joiner, spec.with_key)
    parents = (left.node.name, right.node.name)
    node = graph.add(
        TableTableJoinNode(
            name=name,
            parents=parents,
            stores=(*getter.stores, store) if store else getter.stores,
            copartitioned=parents,
            kind=spec.kind,
            joiner=spec.joiner,
            with_key=spec.with_key,
            left=left_getter,
            right=right_getter,
            left_size_ms=None if sizes is None else sizes[0],
            store=store,
            key_type=common_key_type(name, left.node, right.node),
            value_type=spec.value_type,
        )
    )
    return graph.add_table_store(node, store) if store else TableRef(node, origin, getter=getter)
