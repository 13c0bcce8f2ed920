"""Checks that the functions of an operator can be called with the arguments that it passes, and return results."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeGuard

from eddyline.application.topology.aggregations import Fold
from eddyline.application.topology.callables import changing_method, check_result, returns_nothing
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
    RepartitionSinkNode,
    SinkNode,
    SourceNode,
    SplitNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    StreamTableJoinNode,
    TableAggregateNode,
    TableFilterNode,
    TableGroupByNode,
    TableMapValuesNode,
    TableTransformValuesNode,
)
from eddyline.application.topology.processor import Processor, ValueTransformerWithKey
from eddyline.application.topology.timestamps import wall_clock_time
from eddyline.application.topology.types import UNKNOWN, element_type, returned_type, type_name

_WRAPPED: Final = ("selector", "predicate", "reducer")
"""The attributes in which functions of the library keep one of the user that is called with the same arguments."""


_NEEDED: Final = {
    "predicate": "True or False",
    **dict.fromkeys(("adder", "subtractor", "merger"), "the aggregate, also if it was changed in place"),
}
"""What functions must return, by role; others may return None for every record."""
_UNUSED: Final = frozenset({"action", "initializer", "supplier"})
"""The roles of functions that return nothing, or whose result is checked elsewhere."""


class _Call(NamedTuple):
    """A function of an operator: what it is called, the function, its arguments, and whether its result is iterated over."""

    role: str
    function: Any
    arguments: tuple[str, ...]
    iterable: bool = False


def check_functions(node: Node) -> None:
    """Check the number of arguments of each function of a node, that it returns a result, and what suppliers return.

    Raises:
        TopologyError: If a function cannot be called, takes another number of arguments, or is a coroutine function, or a
            generator function where a value is expected; or if a supplier returns no new processor or transformer.
    """
    for role, function, arguments, iterable in _calls(node):
        own = _own(function)
        given = inspect.unwrap(own) if callable(own) else own
        if not callable(given):
            fix = _instead(role, given) or f"pass a function of {_listed(arguments)}"
            msg = f"the {role} of operator '{node.name}' is {given!r}, which cannot be called; {fix}"
            raise TopologyError(msg)
        check_result(f"the {role} of operator '{node.name}'", own, iterable=iterable)
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
        _check_returns(f"the {role} of operator '{node.name}'", node, role, given, signature)
        if own is function:  # the function of select_key is in one of the library that returns the pair
            _check_annotation(f"the {role} of operator '{node.name}'", node, given)
    if isinstance(node, ProcessorNode):
        _check_supplied(node.name, node.supplier, Processor, ("init", "process", "on_commit", "close"))
    elif isinstance(node, TableTransformValuesNode):
        _check_supplied(node.name, node.supplier, ValueTransformerWithKey, ("init", "transform", "on_commit", "close"))


def _check_returns(what: str, node: Node, role: str, function: Any, signature: inspect.Signature) -> None:
    """Check that a function whose result is used can return one."""
    needed = "several results" if isinstance(node, FlatMapNode | FlatMapValuesNode) else _NEEDED.get(role)
    if needed and not inspect.isclass(function) and signature.return_annotation in (None, "None"):
        msg = f"{what} is {_name(function)}, which returns nothing (-> None); return {needed}"
        raise TopologyError(msg)
    if role not in _UNUSED and returns_nothing(function, constant=needed is not None):
        cure = needed or "the result; for what is only done, there are peek(…) and foreach(…)"
        msg = f"{what} is {_name(function)}, which returns nothing: it has no 'return' with a value; return {cure}"
        raise TopologyError(msg)
    initial = node.fold.initial if isinstance(node, AggregateNode | TableAggregateNode) else None
    method = changing_method(function, initial) if role in {"adder", "subtractor"} else None
    if method:
        cure = f"call '{method}' and return the aggregate, in a function of two lines"
        msg = f"{what} returns what '{method}' of {getattr(initial, '__name__', initial)} returns, which is None; {cure}"
        raise TopologyError(msg)


def _check_supplied(name: str, supplier: Callable[[], object], kind: type, methods: tuple[str, ...]) -> None:
    """Check that a supplier creates objects of a class whose methods return results, a new one each time as in Kafka Streams."""
    is_class = isinstance(supplier, type)
    one = None if is_class else supplier()
    made: type = supplier if isinstance(supplier, type) else type(one)
    if not issubclass(made, kind):
        given = f"the class '{made.__name__}'" if is_class else repr(one)
        msg = (
            f"the supplier of operator '{name}' returns {given}, which is no {kind.__name__}; "
            f"derive a class from {kind.__name__} and pass the class"
        )
        raise TopologyError(msg)
    if one is not None and one is supplier():
        msg = (
            f"the supplier of operator '{name}' returns the same '{made.__name__}' twice; "
            "return a new one each time, since every task has its own"
        )
        raise TopologyError(msg)
    for method in methods:
        check_result(f"{method}() of operator '{name}'", getattr(one or made, method))


def _calls(node: Node) -> Iterator[_Call]:  # noqa: C901, PLR0912 - one case for each kind of node
    match node:
        case FilterNode() | TableFilterNode():
            yield _Call("predicate", node.predicate, ("key", "value"))
        case MapNode():
            yield _Call("mapper", node.mapper, ("key", "value"))
        case FlatMapNode():
            yield _Call("mapper", node.mapper, ("key", "value"), iterable=True)
        case MapValuesNode() | FlatMapValuesNode() | TableMapValuesNode():
            iterable = isinstance(node, FlatMapValuesNode)
            yield _Call("mapper", node.mapper, _with_key("value", with_key=node.with_key), iterable)
        case PeekNode():
            yield _Call("action", node.action, ("key", "value"))
        case SplitNode():
            yield from (_Call("predicate", each, ("key", "value")) for each in node.predicates if each is not None)
        case AggregateNode() | TableAggregateNode():
            yield from _calls_of_fold(node.fold, of_table=isinstance(node, TableAggregateNode))
        case TableGroupByNode():
            yield _Call("selector", node.selector, ("key", "value"))
        case JoinNode() | ForeignKeyResultNode():
            yield _Call("joiner", node.joiner, _with_key("left", "right", with_key=node.with_key))
        case ForeignKeySubscriptionNode():
            yield _Call("foreign key", node.foreign_key, ("value",))
        case ProcessorNode() | TableTransformValuesNode():
            yield _Call("supplier", node.supplier, ())
        case SinkNode():
            if not isinstance(node.topic, str):
                yield _Call("topic", node.topic, ("key", "value", "context") if node.with_context else ("key", "value"))
        case SourceNode() if node.timestamp_extractor not in (None, wall_clock_time):
            yield _Call("timestamp extractor", node.timestamp_extractor, ("record",))
    if isinstance(node, SinkNode | RepartitionSinkNode) and node.partitioner is not None:
        yield _Call("partitioner", node.partitioner, ("key", "value", "partitions"))
    if isinstance(node, StreamTableJoinNode) and node.key_selector is not None:
        yield _Call("key selector", node.key_selector, ("key", "value"))
    if isinstance(node, StreamStreamJoinNode | StreamStreamUntilJoinNode):
        if node.condition is not None:
            yield _Call("condition", node.condition, ("left", "right"))
        if node.windows.until is not None:
            yield _Call("until= of the join window", node.windows.until, ("left",))


def _calls_of_fold(fold: Fold, *, of_table: bool) -> Iterator[_Call]:
    arguments = _with_key("aggregate", "value", with_key=fold.with_key)
    yield _Call("initializer", fold.initial, ())
    yield _Call("adder", fold.add, arguments)
    if of_table and fold.subtract is not None:
        yield _Call("subtractor", fold.subtract, arguments)
    elif not of_table and fold.merge is not None:
        yield _Call("merger", fold.merge, ("aggregate", "aggregate"))


def _with_key(*arguments: str, with_key: bool) -> tuple[str, ...]:
    return ("key", *arguments) if with_key else arguments


def _own(function: Any) -> Any:
    """Return the function of the user that a function of the library calls, or the function itself."""
    return next((getattr(function, name) for name in _WRAPPED if hasattr(type(function), name)), function)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of a function, None for those of C that have none."""
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def _instead(role: str, given: object) -> str | None:
    """Return what to pass in place of an object that cannot be called, None if that is not known."""
    if role == "supplier" and isinstance(given, Processor | ValueTransformerWithKey):
        return f"pass the class, '{type(given).__name__}', or a function that returns a new one for each task"
    return f"pass a function that returns it: lambda: {given!r}" if role == "initializer" else None


def _listed(arguments: tuple[str, ...]) -> str:
    return f"({', '.join(arguments)})" if arguments else "no arguments"


def _name(function: Any) -> str:
    return f"'{getattr(function, '__qualname__', None) or type(function).__qualname__}'"


def _check_annotation(what: str, node: Node, function: Any) -> None:
    """Check that the annotated result of a function is a pair, or can be iterated over, where the node needs that."""
    returned = returned_type(function)
    if isinstance(node, FlatMapNode | FlatMapValuesNode):
        if _is_class(returned) and not hasattr(returned, "__iter__"):
            msg = f"{what} is annotated with '{type_name(returned)}', but returns several results; return a list of them"
            raise TopologyError(msg)
        returned = element_type(returned)
    if isinstance(node, FlatMapNode | MapNode) and _is_class(returned) and not issubclass(returned, tuple | list):
        msg = f"{what} is annotated with '{type_name(returned)}', but returns a key and a value; return a tuple of both"
        raise TopologyError(msg)


def _is_class(found: object) -> TypeGuard[type]:
    return isinstance(found, type) and found not in (UNKNOWN, Any, object)
