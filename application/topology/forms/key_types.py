"""Which types can be keys: those whose values have a hash, and are equal if their bytes are."""

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from types import UnionType
from typing import Any, Final, TypeVar

from eddyline.application.topology.forms.records import field_types, has_fields, is_named_tuple, type_arguments
from eddyline.application.topology.types import UNKNOWN, is_typed_dict, type_name

_UNTYPED: Final = (Any, object, UNKNOWN)
_CURES: Final[Mapping[Any, str]] = {
    dict: "a frozen dataclass with a field for each part, or a tuple",
    list: "a tuple",
    set: "a frozenset",
    bytearray: "bytes",
}
_FROZEN_MODEL: Final = 'model_config = {"frozen": True}'
_GENERATED: Final = "<string>"
"""The file of the methods that dataclasses generate."""
_GENERAL_CURE: Final = "text, a number, a tuple, a NamedTuple, or a dataclass declared with @dataclass(frozen=True)"


def problem_with_key(declared: Any) -> str | None:
    """Return why values of a type cannot be keys, and what to use instead; None if they can."""
    return _problem(declared, ())


def _problem(declared: Any, within: tuple[Any, ...]) -> str | None:
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if declared in _UNTYPED or origin is typing.Literal or isinstance(declared, TypeVar) or declared in within:
        return None
    if hasattr(declared, "__supertype__"):
        return _problem(declared.__supertype__, within)
    if origin in (typing.Union, UnionType):
        return _problem_with_union(arguments) or _first_problem(arguments, within)
    if origin is typing.Annotated:
        return _problem(arguments[0], within)
    kind = declared if origin is None else origin
    if not isinstance(kind, type) or issubclass(kind, Enum):
        return None
    if (
        getattr(kind, "__hash__", None) is None
        or is_typed_dict(kind)
        or (kind.__module__ == "collections.abc" and kind.__hash__ is object.__hash__)
    ):
        return f"values of type '{type_name(declared)}' have no hash; use {cure(kind)}"
    if dataclasses.is_dataclass(kind):
        return _problem_with_dataclass(kind, arguments, (*within, declared))
    if has_fields(kind):
        return _problem_with_model(kind, (*within, declared))
    if is_named_tuple(kind):
        return _problem_with_fields(kind, arguments, (*within, declared))
    return _first_problem([argument for argument in arguments if argument is not Ellipsis], (*within, declared))


def _problem_with_dataclass(kind: Any, arguments: Sequence[Any], within: tuple[Any, ...]) -> str | None:
    if kind.__eq__ is object.__eq__:
        return f"objects of '{type_name(kind)}' are equal to none but themselves; declare it with @dataclass(frozen=True)"
    if not kind.__dataclass_params__.eq or kind.__eq__.__code__.co_filename != _GENERATED:
        return (
            f"'{type_name(kind)}' does not have the __eq__ of its own @dataclass, so equal keys may differ; remove the other one,"
            " and return keys that differ only if they are not equal"
        )
    for field in dataclasses.fields(kind):
        if not field.compare:
            return f"field '{field.name}' of '{type_name(kind)}' is not compared, so equal keys may differ; remove compare=False"
    return _problem_with_fields(kind, arguments, within)


def _problem_with_model(kind: Any, within: tuple[Any, ...]) -> str | None:
    if not kind.__eq__.__module__.startswith("pydantic") or not kind.model_config.get("frozen"):
        return (
            f"'{type_name(kind)}' does not have the __eq__ and __hash__ of a frozen model, so equal keys may differ; remove the "
            f"other ones, and use {_FROZEN_MODEL}"
        )
    return _problem_with_fields(kind, (), within)


def _problem_with_fields(kind: Any, arguments: Sequence[Any], within: tuple[Any, ...]) -> str | None:
    try:
        hints = typing.get_type_hints(kind)
    except (NameError, TypeError):
        return None
    variables = type_arguments(kind, arguments)
    for name, hint in field_types(kind, hints).items():
        problem = _problem(variables.get(hint, hint), within)
        if problem is not None:
            return f"field '{name}' of '{type_name(kind)}': {problem}"
    return None


def _problem_with_union(arguments: Sequence[Any]) -> str | None:
    """Return which members of a union have equal values, numbers aside."""
    tuples = [member for member in arguments if is_named_tuple(member) or (typing.get_origin(member) or member) is tuple]
    if len(tuples) > 1 and any(map(is_named_tuple, tuples)):
        return f"values of {' and '.join(map(type_name, tuples))} may be equal; use a frozen dataclass for each of them"
    for member in arguments:
        if (
            isinstance(member, type)
            and issubclass(member, Enum)
            and any(member is not o and _is_base(o, member) for o in arguments)
        ):
            return f"members of '{type_name(member)}' are equal to other values of the union; use '{type_name(member)}' alone"
    return None


def _is_base(one: Any, other: type) -> bool:
    return isinstance(one, type) and issubclass(other, one)


def _first_problem(arguments: Sequence[Any], within: tuple[Any, ...]) -> str | None:
    return next(filter(None, (_problem(argument, within) for argument in arguments)), None)


def cure(kind: type) -> str:
    """Return what to use as keys in place of values of a class."""
    if dataclasses.is_dataclass(kind):
        return "@dataclass(frozen=True) instead of @dataclass"
    if has_fields(kind):
        return _FROZEN_MODEL
    return next((cure for base, cure in _CURES.items() if issubclass(kind, base)), _GENERAL_CURE)
