"""Several topologies as one, so that their cases share a query: starting a query costs more than anything that a case does in it.

Each topology keeps its own nodes, stores and topics, under names with a prefix. Its first stateful sub-topology is one with the
first ones of the others, its second one with the second ones, and so on, so that the query has no more stages than the longest of
them. Each case has a partition, so a task receives the records of one case only: those of one topology.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from eddyline.adapters.spark.plan import is_stateless, stage_line
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import (
    Node,
    ProcessorNode,
    RepartitionSinkNode,
    SinkNode,
    SourceNode,
    SuppressNode,
    TableTransformValuesNode,
)
from eddyline.application.topology.stores import StoreKind, StoreSpec, key_value_store
from eddyline.application.topology.sub_topologies import SubTopology, split_into_sub_topologies

_LINK: Final = "stage"


def can_share(topology: Topology) -> bool:
    """Return whether a topology can be combined with others.

    It can if nothing in it depends on its names, as code of a user and limits in bytes do, and if no task reads the records of
    all partitions, as those of global tables.
    """
    return not any(spec.kind is StoreKind.CUSTOM for spec in topology.store_specs) and not any(
        isinstance(node, ProcessorNode | TableTransformValuesNode)
        or (isinstance(node, SuppressNode) and node.max_bytes is not None)
        or (isinstance(node, SourceNode) and (node.global_ or node.pattern is not None))
        or (isinstance(node, SinkNode) and not isinstance(node.topic, str))
        for node in topology.nodes
    )


def stages(topology: Topology) -> int:
    """Return the number of stateful stages of a query of a topology."""
    return len(_stateful(topology))


def side_by_side(topologies: Sequence[Topology]) -> Topology:
    """Return one topology with all of these, the names of each of which begin with `prefix` of its number."""
    nodes: list[Node] = []
    specs: list[StoreSpec] = []
    links = 0
    for number, topology in enumerate(topologies):
        names = {name: prefix(number) + name for name in _names(topology)}
        linked = _linked(topology)
        nodes += [_renamed(linked.get(node.name, node), names) for node in topology.nodes]
        specs += [replace(spec, name=names[spec.name]) for spec in topology.store_specs]
        links = max(links, len(linked))
    specs += [key_value_store(f"{_LINK}-{stage}", key=str, value=str) for stage in range(links)]
    return Topology(tuple(nodes), tuple(specs), split_into_sub_topologies(nodes, specs))


def prefix(number: int) -> str:
    """Return what the names of the topology with this number begin with."""
    return f"t{number}-"


def _linked(topology: Topology) -> Mapping[str, Node]:
    """Return a node of each stateful sub-topology, by name, with a store that it shares with the other topologies."""
    chosen = [topology.by_name[sub.nodes[0]] for sub in _stateful(topology)]
    return {node.name: replace(node, stores=(*node.stores, f"{_LINK}-{stage}")) for stage, node in enumerate(chosen)}


def _stateful(topology: Topology) -> list[SubTopology]:
    in_order = map(topology.sub_topologies.__getitem__, stage_line(topology))
    return [sub for sub in in_order if not is_stateless(topology, sub)]


def _names(topology: Topology) -> Iterable[str]:
    yield from topology.by_name
    yield from topology.stores
    for node in topology.nodes:
        if isinstance(node, SourceNode | SinkNode | RepartitionSinkNode):
            assert isinstance(node.topic, str)
            yield node.topic


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """Return a part of a node with other names wherever it has some of these."""
    if isinstance(part, str):
        return names.get(part, part)
    if type(part) is tuple:
        return tuple(_renamed(each, names) for each in part)
    if is_dataclass(part) and not isinstance(part, type):
        found = {field.name: getattr(part, field.name) for field in fields(part)}
        changed = {name: _renamed(value, names) for name, value in found.items()}
        return replace(part, **{name: value for name, value in changed.items() if value != found[name]})
    return part
