"""Links the nodes of a sub-topology into nested function calls, so that nothing is looked up by name for each record."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from eddyline.application.operators.context import Forward, OperatorContext, to_nobody
from eddyline.application.operators.registry import OPERATORS
from eddyline.application.topology.nodes import BranchNode, Node, ProcessorNode, SourceNode, SplitNode


class Linked(NamedTuple):
    """The function that processes the records of each source topic, and the functions of all nodes by name, children first."""

    sources: Mapping[str, Forward]
    functions: Sequence[tuple[str, Forward]]


def link(nodes: Sequence[Node], context: OperatorContext, processed: Counter[str] | None = None) -> Linked:
    """Link the nodes, in which parents precede their children.

    Args:
        nodes: The nodes of a sub-topology.
        context: The task as operators see it.
        processed: Receives the number of records that each node processes, sources excepted; None to count nothing.
    """
    entries: dict[str, tuple[Forward, ...]] = {}
    children: dict[str, list[tuple[Node, int]]] = {node.name: [] for node in nodes}
    for node in nodes:
        for index, parent in enumerate(node.parents):
            if parent in children:
                children[parent].append((node, index))
    sources: dict[str, Forward] = {}
    functions: list[tuple[str, Forward]] = []
    for node in reversed(nodes):
        linked = [(child, _entry(entries[child.name], index)) for child, index in children[node.name]]
        if isinstance(node, SourceNode):
            sources[node.topic] = fan_out(entry for _, entry in linked)
            continue
        entry = entries[node.name] = _link_node(node, linked, context)
        functions += [(node.name, function) for function in entry]
        if processed is not None:
            entries[node.name] = tuple(_counted(node.name, function, processed) for function in entry)
    return Linked(sources, functions)


def _link_node(node: Node, children: Sequence[tuple[Node, Forward]], context: OperatorContext) -> tuple[Forward, ...]:
    operator = OPERATORS[type(node)]
    if isinstance(node, ProcessorNode):
        linked = operator(node, context, {child.name: entry for child, entry in children})
    elif isinstance(node, SplitNode):
        branches: dict[int, Any] = {child.index: entry for child, entry in children if isinstance(child, BranchNode)}
        linked = operator(node, context, branches)
    else:
        linked = operator(node, context, fan_out(entry for _, entry in children))
    return linked if isinstance(linked, tuple) else (linked,)


def _entry(entries: tuple[Forward, ...], index: int) -> Forward:
    return entries[index] if len(entries) > 1 else entries[0]


def fan_out(forwards: Iterable[Forward]) -> Forward:
    """Return a function that calls all of these, in their order."""
    targets = tuple(forwards)
    if not targets:
        return to_nobody
    if len(targets) == 1:
        return targets[0]

    def to_all(*record: Any) -> None:
        for target in targets:
            target(*record)

    return to_all


def _counted(name: str, forward: Forward, processed: Counter[str]) -> Forward:
    def count(*record: Any) -> None:
        processed[name] += 1
        forward(*record)

    return count
