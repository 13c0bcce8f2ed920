"""Combines records before they are repartitioned: tasks send partial aggregates per key, or key and pane, not every record.

Of sessions they send the records of a key together.

An aggregation is combined if that cannot be seen in its table and in what follows it: partial aggregates can be merged, only the
latest update per key and commit is forwarded, the tasks that aggregate read nothing else, and nothing in them depends on stream
time or on single records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from types import NoneType
from typing import Any, Final, get_args

from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Topology, nodes
from eddyline.application.topology.aggregations.fold import add_counts
from eddyline.application.topology.nodes import (
    AggregateNode,
    CombineNode,
    MapValuesNode,
    Node,
    RepartitionSinkNode,
    SessionAggregateNode,
    SessionCombineNode,
    SourceNode,
    WindowAggregateNode,
    WindowCombineNode,
    is_cached,
)
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.sub_topologies import SubTopology, split_into_sub_topologies
from eddyline.application.topology.types import Emit
from eddyline.application.topology.windows import CalendarDays, SessionWindows, TimeWindows, UnlimitedWindows

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
    changed = [node for before in topology.nodes for node in _without_values(before, found)]
    return replace(topology, nodes=tuple(changed), sub_topologies=split_into_sub_topologies(changed, topology.store_specs))


def _counts(topology: Topology, topic: str, sink: RepartitionSinkNode) -> str | None:
    """Return the name of a node that counts the records of a repartition topic, None if a node does anything else with them."""
    sources = [node for node in topology.nodes if isinstance(node, SourceNode) and node.repartition and node.topic == topic]
    names = {source.name for source in sources}
    readers = [node for node in topology.nodes if names.intersection(node.parents)]
    reading = [sub for sub in topology.sub_topologies if topic in sub.repartition_sources]
    is_plain = sink.partitioner is None and not any(sub.source_topics or sub.global_nodes for sub in reading)
    is_counted = all(isinstance(node, AggregateNode) and node.fold.counts for node in readers)
    return readers[0].name if readers and is_plain and is_counted else None


def _without_values(node: Node, found: Mapping[str, str]) -> list[Node]:
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


_STORES: Final = {
    AggregateNode: StoreKind.KEY_VALUE,
    WindowAggregateNode: StoreKind.WINDOW,
    SessionAggregateNode: StoreKind.SESSION,
}
"""The aggregations that can be combined, and the kind of their store."""

_INDEPENDENT_OF_TIME: Final = (
    nodes.BranchNode,
    nodes.FilterNode,
    nodes.FlatMapNode,
    nodes.FlatMapValuesNode,
    nodes.MapNode,
    nodes.MapValuesNode,
    nodes.MergeNode,
    nodes.PeekNode,
    nodes.RepartitionSinkNode,
    nodes.SinkNode,
    nodes.SplitNode,
    nodes.TableFilterNode,
    nodes.TableGroupByNode,
    nodes.TableMapValuesNode,
    nodes.TableToStreamNode,
)


def combined(topology: Topology, options: RunOptions) -> Topology:
    """Return the topology with its aggregations combined where possible; stores, topics and results are the same.

    Records are compared by their arrival only if they reach the aggregation, so nothing is combined with `order="arrival"`. Nor
    are windows if late records become dead letters. With exception handlers other than `fail`, a record that fails is handled by
    itself, so that only counts are combined, whose partial aggregates cannot fail when they are merged.
    """
    if options.order == "arrival":
        return topology
    kinds = (AggregateNode,) if options.dead_letter_drops else tuple(_STORES)
    found: dict[str, AggregateNode] = {}
    for sub in topology.sub_topologies:
        aggregation = _combinable(topology, sub, topology.emit_with(options.emit))
        if aggregation is None or type(aggregation) not in kinds:
            continue
        if options.exception_handlers.always_fail or aggregation.fold.merge is add_counts:
            found[sub.repartition_sources[0]] = aggregation
    if not found:
        return topology
    changed = [node for before in topology.nodes for node in _changed(before, found)]
    return replace(topology, nodes=tuple(changed), sub_topologies=split_into_sub_topologies(changed, topology.store_specs))


def _combinable(topology: Topology, sub: SubTopology, emit: Emit) -> AggregateNode | None:
    """Return the aggregation of a sub-topology that can be combined, None if there is none."""
    own = [topology.by_name[name] for name in sub.nodes]
    if len(sub.repartition_sources) != 1 or sub.source_topics or sub.global_nodes:
        return None
    aggregations = [node for node in own if isinstance(node, AggregateNode) and type(node) in _STORES]
    others = [node for node in own if type(node) not in _STORES and not isinstance(node, SourceNode)]
    if len(aggregations) != 1 or any(type(node) not in _INDEPENDENT_OF_TIME for node in others):
        return None
    node, source = aggregations[0], next(node for node in own if isinstance(node, SourceNode))
    sink = topology.repartition_topics[source.topic]
    is_plain = sink.partitioner is None and not sink.null_keys and source.timestamp_extractor is None
    is_only_reader = [reader.name for reader in topology.nodes if source.name in reader.parents] == [node.name]
    is_mergeable = node.fold.merge is not None and not node.fold.in_order and NoneType not in get_args(node.value_type)
    is_own_store = topology.stores[node.store].kind is _STORES[type(node)] and _users(topology.nodes, node.store) == 1
    is_found = is_plain and is_only_reader and is_mergeable and is_cached(node, emit) and is_own_store
    return node if is_found and node.emit_on_close is None and _has_parts(node) else None


def _has_parts(node: AggregateNode) -> bool:
    """Return whether there are no windows, or such as can be combined."""
    windows = getattr(node, "windows", None)
    return windows is None or isinstance(windows, TimeWindows | CalendarDays | UnlimitedWindows | SessionWindows)


def _users(all_nodes: Sequence[Node], store: str) -> int:
    return sum(store in node.stores for node in all_nodes)


def _changed(node: Node, found: Mapping[str, AggregateNode]) -> list[Node]:
    """Return a node as it is when the aggregations, given by repartition topic, are combined."""
    if isinstance(node, RepartitionSinkNode) and node.topic in found:
        combine = _combine(node, found[node.topic])
        return [combine, replace(node, parents=(combine.name,), value_type=combine.value_type)]
    if isinstance(node, SourceNode) and node.repartition and node.topic in found:
        return [replace(node, value_type=_partial_type(found[node.topic]))]
    return [_merging(node) if isinstance(node, AggregateNode) and any(node is one for one in found.values()) else node]


def _combine(sink: RepartitionSinkNode, aggregation: AggregateNode) -> CombineNode:
    """Return the node that combines records for an aggregation, before a sink."""
    fields: dict[str, Any] = {
        "name": f"{aggregation.name}-combine",
        "parents": sink.parents,
        "key_type": sink.key_type,
        "value_type": _partial_type(aggregation),
        "aggregation": aggregation.name,
        "fold": aggregation.fold,
    }
    windows = getattr(aggregation, "windows", None)
    if windows is None:
        return CombineNode(**fields)
    return (SessionCombineNode if isinstance(windows, SessionWindows) else WindowCombineNode)(**fields, windows=windows)


def _partial_type(aggregation: AggregateNode) -> object:
    value_type: Any = aggregation.value_type
    if isinstance(aggregation, SessionAggregateNode):
        return tuple[list[int], list[value_type]]
    return tuple[int, value_type] if isinstance(aggregation, WindowAggregateNode) else value_type


def _merging(aggregation: AggregateNode) -> Node:
    """Return an aggregation as it is when it merges partial aggregates."""
    fold = aggregation.fold
    if isinstance(aggregation, SessionAggregateNode):
        merge: Any = fold.merge
        return replace(aggregation, fold=replace(fold, add=merge, with_key=False), combined=True)
    if isinstance(aggregation, WindowAggregateNode):
        return replace(aggregation, fold=fold.of_partials(itemgetter(1)), records_in=itemgetter(0))
    return replace(aggregation, fold=fold.of_partials())
