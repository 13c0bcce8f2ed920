"""Checks of the streams, tables and windows that users pass to operators, with errors that name the argument and the fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Union

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import StreamRef, TableRef
from eddyline.application.topology.graph.checks import ANY_KEY_TYPE
from eddyline.application.topology.processor import FixedKeyProcessor, Processor, ValueTransformerWithKey
from eddyline.application.topology.types import UNKNOWN, returned_type, type_arguments, type_name
from eddyline.application.topology.windows import EnumerableWindows, SessionWindows, SlidingWindows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eddyline.application.topology.graph import Graph

_TYPES_OF_PROCESSORS: Final = 4
_TYPES_OF_FIXED_KEY_PROCESSORS: Final = 3
_SIMPLE: Final = (str, int, float, bool, bytes, type(None))


def input_of(graph: Graph, what: str, other: object) -> StreamRef | TableRef:
    """Return the stream or table that an operator is given as its other input.

    Args:
        graph: The graph of the operator.
        what: The beginning of the error message, such as "stream 'clicks' is joined with".
        other: What the user has passed.

    Raises:
        TopologyError: If it is no stream or table, or belongs to another builder.
    """
    ref = other._as_input() if hasattr(other, "_as_input") else None
    if not isinstance(ref, StreamRef | TableRef):
        topic = repr(other) if isinstance(other, str) else "…"
        msg = (
            f"{what} {shown(other)}, which is no stream or table; pass what builder.stream({topic}, key=…, value=…) or "
            "builder.table(…) returns"
        )
        raise TopologyError(msg)
    if getattr(other, "_graph", graph) is not graph or not graph.has_node(ref.node.name):
        kind = "stream" if isinstance(ref, StreamRef) else "table"
        msg = f"{what} {kind} '{ref.origin}' of another TopologyBuilder; read its topic with the same builder"
        raise TopologyError(msg)
    return ref


def stream_of(graph: Graph, what: str, other: object) -> StreamRef:
    """Return the stream that an operator is given as another input; the arguments are those of `input_of`.

    Raises:
        TopologyError: If it is no stream, or belongs to another builder.
    """
    ref = input_of(graph, what, other)
    if not isinstance(ref, StreamRef):
        msg = f"{what} table '{ref.origin}'; make it a stream first with .to_stream()"
        raise TopologyError(msg)
    return ref


def merged_value_type(what: str, refs: Sequence[StreamRef]) -> object:
    """Return the type of the values of merged streams: that of the first, a union if the known types differ.

    Args:
        what: The beginning of the error message.
        refs: The streams.

    Raises:
        TopologyError: If types of keys are known and differ: records with equal keys would be in different partitions.
    """
    first, *others = refs
    for other in others:
        known = first.node.key_type, other.node.key_type
        if not any(kind in ANY_KEY_TYPE for kind in known) and known[0] != known[1]:
            names = tuple(map(type_name, known))
            msg = (
                f"{what} '{other.origin}', whose keys are of type {names[1]}, not {names[0]}; give both keys of one type first, "
                "with select_key(…)"
            )
            raise TopologyError(msg)
    kinds = [ref.node.value_type for ref in refs]
    if any(kind in (UNKNOWN, Any, object) for kind in kinds):
        return kinds[0]
    return Union[tuple(kinds)]  # noqa: UP007 - of any number of types


def windows_of(windows: Any, origin: str) -> Any:
    """Return the windows by which the records of a stream are grouped.

    Raises:
        TopologyError: If they are none.
    """
    kinds = (EnumerableWindows, SlidingWindows, SessionWindows)
    fix = "pass what tumbling(…), hopping(…), sliding(…), session(…), calendar_days(…) or unlimited(…) returns"
    return checked(windows, kinds, f"windows= of windowed_by of stream '{origin}'", fix)


def forwarded_types(supplier: Callable[[], object]) -> tuple[object, object]:
    """Return the types of the keys and values that the processors of a supplier forward, as their class says."""
    fixed_key = type_arguments(supplier, FixedKeyProcessor)
    if len(fixed_key) == _TYPES_OF_FIXED_KEY_PROCESSORS:
        return fixed_key[0], fixed_key[2]
    found = type_arguments(supplier, Processor)
    return (found[2], found[3]) if len(found) == _TYPES_OF_PROCESSORS else (UNKNOWN, UNKNOWN)


def transformed_type(supplier: Callable[[], object]) -> object:
    """Return the type of the values that the transformers of a supplier return, as `transform` or their class says."""
    transform = getattr(returned_type(supplier), "transform", None)
    annotated = UNKNOWN if transform is None else returned_type(transform)
    found = type_arguments(supplier, ValueTransformerWithKey)
    return found[2] if annotated is UNKNOWN and len(found) == _TYPES_OF_FIXED_KEY_PROCESSORS else annotated


def checked(argument: Any, kinds: type | tuple[type, ...], what: str, fix: str) -> Any:
    """Return an argument of these types.

    Args:
        argument: What the user has passed.
        kinds: The types that it may have.
        what: The argument and its operator, such as "windows= of the join of stream 'clicks'".
        fix: What to pass.

    Raises:
        TopologyError: If it has another type.
    """
    if not isinstance(argument, kinds):
        msg = f"{what} is {shown(argument)}; {fix}"
        raise TopologyError(msg)
    return argument


def shown(argument: object) -> str:
    """Return a simple value as Python writes it, or the type of another one."""
    if isinstance(argument, _SIMPLE):
        return repr(argument)
    return f"the class {argument.__name__}" if isinstance(argument, type) else f"a {type(argument).__name__}"
