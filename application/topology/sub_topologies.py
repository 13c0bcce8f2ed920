"""Divides the nodes of a topology into sub-topologies: nodes that are connected to each other or share a store."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SourceNode
from eddyline.application.topology.stores import StoreSpec


@dataclass(frozen=True, slots=True)
class SubTopology:
    """Nodes that are connected without a repartition; each partition is processed by a task of its own.

    `global_nodes` are the nodes of the global tables and stores that each of its tasks loads: those that its nodes use. What no
    node uses is loaded by the tasks of one sub-topology, so that it is kept anyway; if there are only global tables, by the one
    task of a sub-topology without nodes.
    """

    index: int
    nodes: tuple[str, ...]
    source_topics: tuple[str, ...]
    repartition_sources: tuple[str, ...]
    repartition_sinks: tuple[str, ...]
    stores: tuple[str, ...]
    global_nodes: tuple[str, ...] = ()


def split_into_sub_topologies(nodes: Sequence[Node], stores: Sequence[StoreSpec]) -> tuple[SubTopology, ...]:
    """Return the sub-topologies, in the order of their first nodes; the nodes of global tables are in none of them."""
    global_nodes = global_node_names(nodes)
    global_stores = {store for node in nodes if node.name in global_nodes for store in node.stores}
    groups = _connected([node for node in nodes if node.name not in global_nodes], global_stores=global_stores)
    groups = groups or ([[]] if global_nodes else [])
    loaded = _loaded(groups, [node for node in nodes if node.name in global_nodes])
    store_names = [spec.name for spec in stores]
    return tuple(
        SubTopology(
            index=index,
            nodes=tuple(node.name for node in group),
            source_topics=tuple(node.topic for node in group if isinstance(node, SourceNode) and not node.repartition),
            repartition_sources=tuple(node.topic for node in group if isinstance(node, SourceNode) and node.repartition),
            repartition_sinks=tuple(node.topic for node in group if isinstance(node, RepartitionSinkNode)),
            stores=tuple(
                name for name in store_names if any(name in node.stores for node in group) and name not in global_stores
            ),
            global_nodes=loaded[index],
        )
        for index, group in enumerate(groups)
    )


def global_node_names(nodes: Sequence[Node]) -> frozenset[str]:
    """Return the names of the nodes of global tables: their sources, and the nodes that store them."""
    names: set[str] = set()
    for node in nodes:
        if (isinstance(node, SourceNode) and node.global_) or (node.parents and all(p in names for p in node.parents)):
            names.add(node.name)
    return frozenset(names)


def _connected(nodes: Sequence[Node], *, global_stores: AbstractSet[str]) -> list[list[Node]]:
    """Return the groups of nodes that are connected to each other or share a store other than those of global tables."""
    root = {node.name: node.name for node in nodes}

    def find(name: str) -> str:
        while root[name] != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    first_user: dict[str, str] = {}
    for node in nodes:
        for parent in node.parents:
            if parent in root:
                root[find(node.name)] = find(parent)
        for store in node.stores:
            if store not in global_stores:
                root[find(node.name)] = find(first_user.setdefault(store, node.name))
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(find(node.name), []).append(node)
    return list(groups.values())


def _loaded(groups: Sequence[Sequence[Node]], global_nodes: Sequence[Node]) -> list[tuple[str, ...]]:
    """Return the names of the global nodes that each group loads, sources before the nodes that store their records."""
    used = [{store for node in group for store in node.stores} for group in groups]
    everywhere = {store for stores in used for store in stores}
    host = next((index for index, stores in enumerate(used) if stores), 0)
    loaded: list[tuple[str, ...]] = []
    for index, stores in enumerate(used):
        own = [
            node
            for node in global_nodes
            if stores.intersection(node.stores) or (index == host and node.stores and everywhere.isdisjoint(node.stores))
        ]
        names = {name for node in own for name in (node.name, *node.parents)}
        loaded.append(tuple(node.name for node in global_nodes if node.name in names))
    return loaded
