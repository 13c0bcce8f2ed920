"""A topology whose functions pass the origins of values on: what operators do stays as it is."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from eddyline.application.lineage.origins import origins_of, plain
from eddyline.application.lineage.traced_processors import traced_processor, traced_transformer
from eddyline.application.lineage.tracker import Tracker
from eddyline.application.topology import Topology, nodes
from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.timestamps import wall_clock_time


def traced_topology(topology: Topology, tracker: Tracker) -> Topology:
    """Return the topology with all functions and processors of the user wrapped; actions of `peek` are left out."""
    return replace(topology, nodes=tuple(_traced(node, topology, tracker) for node in topology.nodes))


def _traced(node: nodes.Node, topology: Topology, tracker: Tracker) -> nodes.Node:
    wrap = WRAPPERS.get(type(node))
    return node if wrap is None else replace(node, **wrap(node, topology, tracker))


# --- streams ------------------------------------------------------------------------------------------------------------


def _source(node: Any, _topology: Topology, _tracker: Tracker) -> dict[str, Any]:
    extractor = node.timestamp_extractor
    if extractor is None or extractor is wall_clock_time:
        return {}
    return {"timestamp_extractor": lambda record: extractor(record._replace(value=plain(record.value)))}


def _filter(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"predicate": _predicate(node.name, node.predicate, tracker, dropped=node.drop_reason is not None)}


def _predicate(node: str, predicate: Callable[..., bool], tracker: Tracker, *, dropped: bool = False) -> Callable[..., bool]:
    test = tracker.key(predicate)
    if tracker.events is None or dropped:
        return test

    def call(key: Any, value: Any) -> bool:
        passed = bool(test(key, value))
        if not passed and tracker.is_watching and (value is None or origins_of(value) is not None):
            tracker.note("filtered", node, key)
        return passed

    return call


def _split(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    tests = [None if predicate is None else tracker.key(predicate) for predicate in node.predicates]
    if tracker.events is not None and tests and tests[-1] is not None:
        last = tests[-1]

        def call(key: Any, value: Any) -> bool:
            passed = last(key, value)
            if not passed and tracker.is_watching:
                tracker.note("filtered", node.name, key)
            return bool(passed)

        tests[-1] = call
    return {"predicates": tuple(tests)}


def _map(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"mapper": tracker.keyed(node.mapper)}


def _map_values(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"mapper": tracker.value(node.mapper)}


def _flat(node: Any, tracker: Tracker, trace: Callable[[Any, Any], Any]) -> Callable[..., Iterable[Any]]:
    def call(*arguments: Any) -> Iterable[Any]:
        results, origins = tracker.called(node.mapper, arguments)
        found = False
        for result in results:
            found = True
            yield trace(result, origins)
        if not found and tracker.is_watching:
            tracker.note("none", node.name, None)

    return call


def _flat_map(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"mapper": _flat(node, tracker, lambda pair, origins: (pair[0], tracker.traced(pair[1], origins)))}


def _flat_map_values(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"mapper": _flat(node, tracker, tracker.traced)}


def _peek(_node: Any, _topology: Topology, _tracker: Tracker) -> dict[str, Any]:
    return {"action": _nothing}


def _nothing(_key: Any, _value: Any) -> None:
    """Leave out an action, which has effects outside the flow only."""


def _sink(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    wrapped = {} if isinstance(node.topic, str) else {"topic": tracker.key(node.topic)}
    return wrapped | _repartition(node, _topology, tracker)


def _repartition(node: Any, _topology: Topology, _tracker: Tracker) -> dict[str, Any]:
    partitioner = node.partitioner
    if partitioner is None:
        return {}
    return {"partitioner": lambda key, value, partitions: partitioner(key, plain(value), partitions)}


def _processor(node: Any, topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"supplier": partial(traced_processor, node.supplier, topology, tracker)}


# --- tables and aggregates ----------------------------------------------------------------------------------------------


def _aggregate(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    in_parts = type(node) in {nodes.AggregateNode, nodes.WindowAggregateNode}
    without_parts = tracker.changes and not tracker.in_parts and in_parts
    return {"fold": _fold(replace(node.fold, merge=None) if without_parts else node.fold, tracker)}


def _table_filter(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"predicate": _predicate(node.name, node.predicate, tracker)}


def _transform_values(node: Any, topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"supplier": partial(traced_transformer, node.supplier, topology, tracker)}


def _group(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"selector": tracker.keyed(node.selector)}


def _table_aggregate(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"fold": _fold(node.fold, tracker)}


def _fold(fold: Fold, tracker: Tracker) -> Fold:
    functions = {name: getattr(fold, name) for name in ("add", "merge", "subtract")}
    traced: dict[str, Any] = {name: tracker.value(function) for name, function in functions.items() if function is not None}
    return replace(fold, initial=tracker.constant(fold.initial), **traced)


# --- joins --------------------------------------------------------------------------------------------------------------


def _join(node: Any, topology: Topology, tracker: Tracker) -> dict[str, Any]:
    wrapped: dict[str, Any] = {"joiner": tracker.value(node.joiner)}
    for name in ("table", "left", "right"):
        if hasattr(node, name):
            wrapped[name] = _getter(getattr(node, name), topology, tracker)
    for name in ("key_selector", "condition"):
        if getattr(node, name, None) is not None:
            wrapped[name] = tracker.key(getattr(node, name))
    windows = getattr(node, "windows", None)
    if windows is not None and windows.until is not None:
        wrapped["windows"] = replace(windows, until=tracker.key(windows.until))
    return wrapped


def _subscription(node: Any, _topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"foreign_key": tracker.key(node.foreign_key)}


def _response(node: Any, topology: Topology, tracker: Tracker) -> dict[str, Any]:
    return {"right": _getter(node.right, topology, tracker)}


def _getter(getter: Any, topology: Topology, tracker: Tracker) -> Any:
    """Return a value getter, and those that it derives its rows from, with traced functions."""
    wrapped: dict[str, Any] = {}
    for name in ("parent", "left", "right"):
        if hasattr(getter, name):
            wrapped[name] = _getter(getattr(getter, name), topology, tracker)
    if hasattr(getter, "predicate"):
        wrapped["predicate"] = tracker.key(getter.predicate)
    for name in ("mapper", "joiner"):
        if hasattr(getter, name):
            wrapped[name] = tracker.value(getattr(getter, name))
    if hasattr(getter, "supplier"):
        wrapped["supplier"] = partial(traced_transformer, getter.supplier, topology, tracker)
    return replace(getter, **wrapped)


WRAPPERS: Mapping[type[nodes.Node], Callable[[Any, Topology, Tracker], dict[str, Any]]] = {
    nodes.SourceNode: _source,
    nodes.FilterNode: _filter,
    nodes.MapNode: _map,
    nodes.MapValuesNode: _map_values,
    nodes.FlatMapNode: _flat_map,
    nodes.FlatMapValuesNode: _flat_map_values,
    nodes.PeekNode: _peek,
    nodes.SplitNode: _split,
    nodes.SinkNode: _sink,
    nodes.RepartitionSinkNode: _repartition,
    nodes.ProcessorNode: _processor,
    nodes.AggregateNode: _aggregate,
    nodes.WindowAggregateNode: _aggregate,
    nodes.SlidingAggregateNode: _aggregate,
    nodes.SessionAggregateNode: _aggregate,
    nodes.TableFilterNode: _table_filter,
    nodes.TableMapValuesNode: _map_values,
    nodes.TableTransformValuesNode: _transform_values,
    nodes.TableGroupByNode: _group,
    nodes.TableAggregateNode: _table_aggregate,
    nodes.StreamStreamJoinNode: _join,
    nodes.StreamStreamUntilJoinNode: _join,
    nodes.StreamTableJoinNode: _join,
    nodes.TableTableJoinNode: _join,
    nodes.ForeignKeySubscriptionNode: _subscription,
    nodes.ForeignKeyResponseNode: _response,
    nodes.ForeignKeyResultNode: _join,
}
"""What is replaced in the nodes of each type that have functions."""
