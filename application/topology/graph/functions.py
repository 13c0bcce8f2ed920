"""Checks that the functions of an operator can be called with the arguments that it passes."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.nodes import (
    AggregateNode,
    FilterNode,
    FlatMapNode,
    FlatMapValuesNode,
    ForeignKeyResultNode,
    ForeignKeySubscriptionNode,
    JoinNode,
    MapNode,
    MapValuesNode,
    Node,
    PeekNode,
    ProcessorNode,
    SinkNode,
    SplitNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    StreamTableJoinNode,
    TableAggregateNode,
    TableFilterNode,
    TableGroupByNode,
    TableMapValuesNode,
)

_WRAPPED: Final = ("selector", "predicate", "reducer")
"""The attributes in which functions of the library keep one of the user that is called with the same arguments."""


class _Call(NamedTuple):
    """A function of an operator: what it is called, the function, and the names of its arguments."""

    role: str
    function: Any
    arguments: tuple[str, ...]


def check_functions(node: Node) -> None:
    """Check the number of arguments of each function of a node.

    Raises:
        TopologyError: If a function cannot be called, or takes another number of arguments.
    """
    for role, function, arguments in _calls(node):
        given = _unwrapped(function)
        if not callable(given):
            msg = (
                f"the {role} of operator '{node.name}' is {given!r}, which cannot be called; "
                f"pass a function of {_listed(arguments)}"
            )
            raise TopologyError(msg)
        signature = _signature(given)
        if signature is None:
            continue
        try:
            signature.bind(*arguments)
        except TypeError:
            msg = (
                f"the {role} of operator '{node.name}' is called with {_listed(arguments)}, but {_name(given)} takes {signature}"
            )
            raise TopologyError(msg) from None


def _calls(node: Node) -> Iterator[_Call]:  # noqa: C901, PLR0912 - one case for each kind of node
    match node:
        case FilterNode() | TableFilterNode():
            yield _Call("predicate", node.predicate, ("key", "value"))
        case MapNode() | FlatMapNode():
            yield _Call("mapper", node.mapper, ("key", "value"))
        case MapValuesNode() | FlatMapValuesNode() | TableMapValuesNode():
            yield _Call("mapper", node.mapper, _with_key("value", with_key=node.with_key))
        case PeekNode():
            yield _Call("action", node.action, ("key", "value"))
        case SplitNode():
            yield from (_Call("predicate", each, ("key", "value")) for each in node.predicates if each is not None)
        case AggregateNode():
            yield _Call("initializer", node.initializer, ())
            yield _Call("adder", node.adder, _with_key("aggregate", "value", with_key=node.with_key))
            if node.merge is not None:
                yield _Call("merger", node.merge, ("aggregate", "aggregate"))
        case TableAggregateNode():
            yield _Call("initializer", node.initializer, ())
            yield _Call("adder", node.adder, _with_key("aggregate", "value", with_key=node.with_key))
            yield _Call("subtractor", node.subtractor, _with_key("aggregate", "value", with_key=node.with_key))
        case TableGroupByNode():
            yield _Call("selector", node.selector, ("key", "value"))
        case JoinNode() | ForeignKeyResultNode():
            yield _Call("joiner", node.joiner, _with_key("left", "right", with_key=node.with_key))
        case ForeignKeySubscriptionNode():
            yield _Call("foreign key", node.foreign_key, ("value",))
        case ProcessorNode():
            yield _Call("supplier", node.supplier, ())
        case SinkNode():
            if not isinstance(node.topic, str):
                yield _Call("topic", node.topic, ("key", "value", "context") if node.with_context else ("key", "value"))
            if node.partitioner is not None:
                yield _Call("partitioner", node.partitioner, ("key", "value", "partitions"))
    if isinstance(node, StreamTableJoinNode) and node.key_selector is not None:
        yield _Call("key selector", node.key_selector, ("key", "value"))
    if isinstance(node, StreamStreamJoinNode | StreamStreamUntilJoinNode):
        if node.condition is not None:
            yield _Call("condition", node.condition, ("left", "right"))
        if node.windows.until is not None:
            yield _Call("until= of the join window", node.windows.until, ("left",))


def _with_key(*arguments: str, with_key: bool) -> tuple[str, ...]:
    return ("key", *arguments) if with_key else arguments


def _unwrapped(function: Any) -> Any:
    wrapped = next((getattr(function, name) for name in _WRAPPED if hasattr(type(function), name)), function)
    return inspect.unwrap(wrapped) if callable(wrapped) else wrapped


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of a function, None for those of C that have none."""
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def _listed(arguments: tuple[str, ...]) -> str:
    return f"({', '.join(arguments)})" if arguments else "no arguments"


def _name(function: Any) -> str:
    return f"'{getattr(function, '__qualname__', None) or type(function).__qualname__}'"
