"""Links the steps of a sub-topology into one chain of nested calls, once, so that no record looks anything up by name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eddyline.application.operators.context import Forward, OperatorContext
from eddyline.application.operators.registry import OPERATORS
from eddyline.application.topology.nodes import BranchNode, Node, ProcessorNode, SourceNode, SplitNode


def link(nodes: Sequence[Node], context: OperatorContext) -> Mapping[str, Forward]:
    """The entry of each source topic, all that lies behind it linked in; `nodes` stand behind their parents."""
    entries: dict[str, tuple[Forward, ...]] = {}
    heard: dict[str, list[tuple[Node, int]]] = {node.name: [] for node in nodes}
    for node in nodes:
        for index, parent in enumerate(node.parents):
            if parent in heard:
                heard[parent].append((node, index))
    sources: dict[str, Forward] = {}
    for node in reversed(nodes):
        listeners = [(child, _entry(entries[child.name], index)) for child, index in heard[node.name]]
        if isinstance(node, SourceNode):
            sources[node.topic] = fan_out(entry for _, entry in listeners)
            continue
        entries[node.name] = _linked(node, listeners, context)
    return sources


def _linked(node: Node, listeners: Sequence[tuple[Node, Forward]], context: OperatorContext) -> tuple[Forward, ...]:
    operator = OPERATORS[type(node)]
    if isinstance(node, ProcessorNode):
        linked = operator(node, context, {child.name: entry for child, entry in listeners})
    elif isinstance(node, SplitNode):
        branches: dict[int, Any] = {child.index: entry for child, entry in listeners if isinstance(child, BranchNode)}
        linked = operator(node, context, branches)
    else:
        linked = operator(node, context, fan_out(entry for _, entry in listeners))
    return linked if isinstance(linked, tuple) else (linked,)


def _entry(entries: tuple[Forward, ...], index: int) -> Forward:
    return entries[index] if len(entries) > 1 else entries[0]


def fan_out(forwards: Iterable[Forward]) -> Forward:
    """One call that makes all of these, in their order."""
    targets = tuple(forwards)
    if not targets:
        return _nowhere
    if len(targets) == 1:
        return targets[0]

    def to_all(*record: Any) -> None:
        for target in targets:
            target(*record)

    return to_all


def _nowhere(*_record: Any) -> None:
    """Where the records of a step end that nothing hears."""
