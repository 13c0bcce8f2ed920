"""Leaves values out of the records of repartition topics if they are only counted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from eddyline.application.runtime.options import RunOptions
from eddyline.application.topology import Topology
from eddyline.application.topology.aggregations.count_and_reduce import increment
from eddyline.application.topology.nodes import AggregateNode, MapValuesNode, Node, RepartitionSinkNode, SourceNode
from eddyline.application.topology.sub_topologies import split_into_sub_topologies

_PRESENT = 1
"""What takes the place of a value. A null value stays null, since aggregations without windows drop it."""


def without_counted_values(topology: Topology, options: RunOptions) -> Topology:
    """Return the topology without the values of records that are sent to other tasks only to be counted.

    Values are encoded, sent and decoded in vain there. They are kept if they may become part of dead letters, and where records
    may wait for those of the log: a later run, with other options, takes them from the state.
    """
    if options.dead_letter_drops or not options.exception_handlers.always_fail:
        return topology
    found = {topic: counts for topic, sink in topology.repartition_topics.items() if (counts := _counts(topology, topic, sink))}
    if not found:
        return topology
    changed = [node for before in topology.nodes for node in _changed(before, found)]
    return replace(topology, nodes=tuple(changed), sub_topologies=split_into_sub_topologies(changed, topology.store_specs))


def _counts(topology: Topology, topic: str, sink: RepartitionSinkNode) -> str | None:
    """Return the name of a node that counts the records of a repartition topic, None if a node does anything else with them."""
    sources = [node for node in topology.nodes if isinstance(node, SourceNode) and node.repartition and node.topic == topic]
    names = {source.name for source in sources}
    readers = [node for node in topology.nodes if names.intersection(node.parents)]
    reading = [sub for sub in topology.sub_topologies if topic in sub.repartition_sources]
    is_plain = sink.partitioner is None and not any(sub.source_topics or sub.global_nodes for sub in reading)
    is_counted = all(isinstance(node, AggregateNode) and node.adder is increment and not node.with_key for node in readers)
    return readers[0].name if readers and is_plain and is_counted else None


def _changed(node: Node, found: Mapping[str, str]) -> list[Node]:
    """Return a node as it is when the values of repartition topics are left out; `found` has a count of each of them."""
    if isinstance(node, RepartitionSinkNode) and node.topic in found:
        name = f"{found[node.topic]}-without-values"
        without = MapValuesNode(name=name, parents=node.parents, key_type=node.key_type, value_type=int, mapper=_presence_of)
        return [without, replace(node, parents=(name,), value_type=int)]
    if isinstance(node, SourceNode) and node.repartition and node.topic in found:
        return [replace(node, value_type=int)]
    return [node]


def _presence_of(value: Any) -> int | None:
    return None if value is None else _PRESENT
