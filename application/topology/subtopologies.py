"""Splits steps into sub-topologies: what hangs together by hearing each other or by sharing a store."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SourceNode
from eddyline.application.topology.stores import StoreSpec


@dataclass(frozen=True, slots=True)
class SubTopology:
    """What is connected without a repartition; each of its partitions is run by a task of its own."""

    index: int
    nodes: tuple[str, ...]
    source_topics: tuple[str, ...]
    repartition_sources: tuple[str, ...]
    repartition_sinks: tuple[str, ...]
    stores: tuple[str, ...]


def split_into_sub_topologies(nodes: Sequence[Node], stores: Sequence[StoreSpec]) -> tuple[SubTopology, ...]:
    """The sub-topologies, in the order of their first steps; steps of global tables belong to none."""
    global_nodes = names_of_global_steps(nodes)
    global_stores = {store for node in nodes if node.name in global_nodes for store in node.stores}
    groups = _connected([node for node in nodes if node.name not in global_nodes], unshared=global_stores)
    known = [spec.name for spec in stores]
    return tuple(
        SubTopology(
            index=index,
            nodes=tuple(node.name for node in group),
            source_topics=tuple(node.topic for node in group if isinstance(node, SourceNode) and not node.repartition),
            repartition_sources=tuple(node.topic for node in group if isinstance(node, SourceNode) and node.repartition),
            repartition_sinks=tuple(node.topic for node in group if isinstance(node, RepartitionSinkNode)),
            stores=tuple(name for name in known if any(name in node.stores for node in group) and name not in global_stores),
        )
        for index, group in enumerate(groups)
    )


def _connected(nodes: Sequence[Node], *, unshared: AbstractSet[str]) -> list[list[Node]]:
    """The steps that hang together by hearing each other or by sharing a store; `unshared` stores connect nothing."""
    root = {node.name: node.name for node in nodes}

    def find(name: str) -> str:
        while root[name] != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    owner: dict[str, str] = {}
    for node in nodes:
        for parent in node.parents:
            if parent in root:
                root[find(node.name)] = find(parent)
        for store in node.stores:
            if store not in unshared:
                root[find(node.name)] = find(owner.setdefault(store, node.name))
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(find(node.name), []).append(node)
    return list(groups.values())


def names_of_global_steps(nodes: Sequence[Node]) -> frozenset[str]:
    """The names of the sources of global tables and of the steps that keep them."""
    names: set[str] = set()
    for node in nodes:
        if (isinstance(node, SourceNode) and node.global_) or (node.parents and all(p in names for p in node.parents)):
            names.add(node.name)
    return frozenset(names)
