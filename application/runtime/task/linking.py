"""Links the nodes of a sub-topology into nested function calls, so that nothing is looked up by name for each record."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from eddyline.application.operators.context import Forward, OperatorContext, to_nobody
from eddyline.application.operators.registry import OPERATORS
from eddyline.application.runtime.task.paths import Paths
from eddyline.application.topology.immutable import is_immutable, own_copy, with_own_copies
from eddyline.application.topology.nodes import (
    AggregateNode,
    BranchNode,
    CombineNode,
    Node,
    ProcessorNode,
    RepartitionSinkNode,
    SessionCombineNode,
    SinkNode,
    SourceNode,
    SplitNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    TableAggregateNode,
    TableTableJoinNode,
    WindowCombineNode,
)

_REPEATING = (StreamStreamJoinNode, StreamStreamUntilJoinNode, TableTableJoinNode)
"""Joins that pass the same value to several calls of the joiner."""


class Linked(NamedTuple):
    """Functions that process the records of source topics, the functions of all nodes, children first, and their children."""

    sources: Mapping[str, Forward]
    functions: Sequence[tuple[str, Forward]]
    children: Mapping[str, Sequence[Node]]


def link(nodes: Sequence[Node], context: OperatorContext, paths: Paths, processed: Counter[str] | None = None) -> Linked:
    """Link the nodes, in which parents precede their children.

    Args:
        nodes: The nodes of a sub-topology.
        context: The task as operators see it.
        paths: Receives the nodes, children first.
        processed: Receives the number of records that each node processes, sources excepted; None to count nothing.
    """
    entries: dict[str, tuple[Forward, ...]] = {}
    children: dict[str, list[tuple[Node, int]]] = {node.name: [] for node in nodes}
    for node in nodes:
        for index, parent in enumerate(node.parents):
            if parent in children:
                children[parent].append((node, index))
    value_types = {node.name: node.value_type for node in nodes}
    sources: dict[str, Forward] = {}
    functions: list[tuple[str, Forward]] = []
    for node in reversed(nodes):
        below = [child for child, _ in children[node.name]]
        linked = [(child, _entry(entries[child.name], index)) for child, index in children[node.name]]
        paths.follow(node, below)
        if isinstance(node, SourceNode):
            sources[node.topic] = fan_out((entry for _, entry in linked), node.value_type)
            continue
        entry = entries[node.name] = _link_node(_isolated(node, value_types), linked, context)
        functions += [(node.name, function) for function in entry]
        if processed is not None:
            entries[node.name] = tuple(_counted(node.name, function, processed) for function in entry)
        paths.add(node, below)
    return Linked(sources, functions, {name: [child for child, _ in below] for name, below in children.items()})


def _link_node(node: Node, children: Sequence[tuple[Node, Forward]], context: OperatorContext) -> tuple[Forward, ...]:
    operator = OPERATORS[type(node)]
    if isinstance(node, ProcessorNode):
        linked = operator(node, context, {child.name: entry for child, entry in children})
    elif isinstance(node, SplitNode):
        branches: dict[int, Any] = {child.index: entry for child, entry in children if isinstance(child, BranchNode)}
        linked = operator(node, context, branches)
    else:
        linked = operator(node, context, fan_out((entry for _, entry in children), node.value_type))
    return linked if isinstance(linked, tuple) else (linked,)


def _entry(entries: tuple[Forward, ...], index: int) -> Forward:
    return entries[index] if len(entries) > 1 else entries[0]


def _isolated(node: Node, value_types: Mapping[str, object]) -> Node:
    """Return a node whose functions may change their arguments in place, or keep them, where what they get is used again."""
    if isinstance(node, AggregateNode | TableAggregateNode | CombineNode) and not is_immutable(_aggregate_type(node)):
        functions = {name: getattr(node.fold, name) for name in ("add", "merge", "subtract")}
        isolated: dict[str, Any] = {name: with_own_copies(found) for name, found in functions.items() if found is not None}
        return replace(node, fold=replace(node.fold, **isolated))
    if isinstance(node, _REPEATING) and not all(is_immutable(value_types.get(parent)) for parent in node.parents):
        return replace(node, joiner=with_own_copies(node.joiner))
    if isinstance(node, SinkNode | RepartitionSinkNode) and not is_immutable(node.value_type):
        chosen = {name: function for name in ("topic", "partitioner") if callable(function := getattr(node, name))}
        copying: dict[str, Any] = {name: with_own_copies(function) for name, function in chosen.items()}
        return replace(node, **copying)
    return node


def _aggregate_type(node: Node) -> object:
    """Return the type of the aggregates of a node, which emits them in pairs if it combines windows or sessions."""
    if isinstance(node, SessionCombineNode):
        return get_args(get_args(node.value_type)[1])[0]
    return get_args(node.value_type)[1] if isinstance(node, WindowCombineNode) else node.value_type


def fan_out(forwards: Iterable[Forward], value_type: object) -> Forward:
    """Return a function that calls all of these, in their order; if values of the type can be changed, each gets its own."""
    targets = tuple(forwards)
    if not targets:
        return to_nobody
    if len(targets) == 1:
        return targets[0]
    *others, last = targets

    def to_all(*record: Any) -> None:
        for target in targets:
            target(*record)

    def to_all_isolated(*record: Any) -> None:
        for target in others:
            target(*map(own_copy, record))
        last(*record)

    return to_all if is_immutable(value_type) else to_all_isolated


def _counted(name: str, forward: Forward, processed: Counter[str]) -> Forward:
    def count(*record: Any) -> None:
        processed[name] += 1
        forward(*record)

    return count
