"""Which sub-topologies and nodes are between inputs and results."""

from collections.abc import Collection, Iterable

from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import (
    ForeignKeySubscriptionNode,
    Node,
    ProcessorNode,
    RepartitionSinkNode,
    SinkNode,
    SourceNode,
    TableTransformValuesNode,
)
from eddyline.application.topology.stores import StoreKind


def sub_topologies_upstream(topology: Topology, nodes: Iterable[str]) -> frozenset[int]:
    """Return the indexes of the sub-topologies of these nodes and of all that send records to them."""
    wanted = set(nodes)
    found = {sub.index for sub in topology.sub_topologies if wanted.intersection((*sub.nodes, *sub.global_nodes))}
    while True:
        sources = {topic for sub in topology.sub_topologies if sub.index in found for topic in sub.repartition_sources}
        more = {sub.index for sub in topology.sub_topologies if sources.intersection(sub.repartition_sinks)} - found
        if not more:
            return frozenset(found)
        found |= more


def writers_of(topology: Topology, topic: str) -> list[str]:
    """Return the sink nodes that write a topic, or may do so."""
    sinks = [node for node in topology.nodes if isinstance(node, SinkNode)]
    return [node.name for node in sinks if node.topic == topic or not isinstance(node.topic, str)]


def only_forgets(topology: Topology, sub_topologies: Collection[int] | None) -> bool:
    """Return whether the state of sub-topologies consists of windows and buffers, which forget old records by themselves."""
    for sub in topology.sub_topologies:
        if sub_topologies is not None and sub.index not in sub_topologies:
            continue
        stores = {store for name in (*sub.nodes, *sub.global_nodes) for store in topology.by_name[name].stores}
        kept = [topology.stores[store] for store in stores]
        if any(spec.queryable and spec.kind not in {StoreKind.WINDOW, StoreKind.SESSION} for spec in kept):
            return False
        nodes = [topology.by_name[name] for name in sub.nodes]
        if any(isinstance(node, ProcessorNode | TableTransformValuesNode | ForeignKeySubscriptionNode) for node in nodes):
            return False
    return True


def path_between(topology: Topology, source_topic: str, ends: Iterable[str]) -> tuple[str, ...]:
    """Return the nodes on the ways from a source topic to the last nodes, in the order of the topology."""
    begins = {node.name for node in topology.nodes if isinstance(node, SourceNode) and _reads(node, source_topic)}
    children = _children(topology)
    parents: dict[str, list[str]] = {}
    for name, following in children.items():
        for child in following:
            parents.setdefault(child, []).append(name)
    between = _reached(children, begins) & _reached(parents, set(ends))
    order = {name: number for number, name in enumerate(_in_order(topology, children))}
    return tuple(sorted(between, key=lambda name: order.get(name, 0)))


def _reads(node: SourceNode, topic: str) -> bool:
    return not node.repartition and (node.topic == topic if node.pattern is None else node.pattern.fullmatch(topic) is not None)


def _children(topology: Topology) -> dict[str, list[str]]:
    """Return the children of each node, also across repartition topics, and the readers of the stores that it writes."""
    readers = {node.topic: node.name for node in topology.nodes if isinstance(node, SourceNode) and node.repartition}
    children: dict[str, list[str]] = {node.name: [] for node in topology.nodes}
    for node in topology.nodes:
        for parent in node.parents:
            if parent in children:
                children[parent].append(node.name)
        if isinstance(node, RepartitionSinkNode) and node.topic in readers:
            children[node.name].append(readers[node.topic])
    owners: dict[str, str] = {}
    for node in topology.nodes:
        own = getattr(node, "store", None)
        if isinstance(own, str):
            owners[own] = node.name
    for node in topology.nodes:
        for store in node.stores:
            owner = owners.get(store)
            if owner is not None and owner != node.name:
                children[owner].append(node.name)
    return children


def _reached(edges: dict[str, list[str]], begins: set[str]) -> set[str]:
    found, waiting = set(begins), list(begins)
    while waiting:
        for following in edges.get(waiting.pop(), ()):
            if following not in found:
                found.add(following)
                waiting.append(following)
    return found


def _in_order(topology: Topology, children: dict[str, list[str]]) -> list[str]:
    """Return the names of the nodes, each after its parents as far as there is no cycle."""
    nodes: tuple[Node, ...] = topology.nodes
    waiting = {node.name: 0 for node in nodes}
    for following in children.values():
        for child in following:
            waiting[child] += 1
    order: list[str] = []
    ready = [node.name for node in nodes if not waiting[node.name]]
    while ready:
        name = ready.pop(0)
        order.append(name)
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return [*order, *(node.name for node in nodes if node.name not in set(order))]
