"""Infers the types of keys and values from the annotations of functions, so that codecs can be chosen by type."""

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, TypeVar

Emit: TypeAlias = Literal["latest", "every-update"]
"""Which updates of a table are forwarded: the last one per key and commit, or every one."""

Names: TypeAlias = Literal["as-declared", "camelCase"]
"""What the fields of types are called in topics: as they are declared, or in camelCase."""

Strictness: TypeAlias = Literal["strict", "lax"]
"""Whether a value in a topic must be of the type of its field, or may be converted to it."""


class _Unknown:
    """The type of keys or values without an annotation."""

    def __repr__(self) -> str:
        return "unknown"

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()

_PAIR = 2


def returned_type(function: Callable[..., Any]) -> object:
    """Return the type that calling `function` returns: a class itself, else the return annotation, else UNKNOWN."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isclass(function):
        return function
    annotated = function if hasattr(function, "__annotations__") else getattr(function, "__call__", None)  # noqa: B004 - the method itself
    try:
        hints = typing.get_type_hints(annotated)
    except (NameError, TypeError, AttributeError):
        return UNKNOWN
    return _known(hints.get("return", UNKNOWN))


def required_parameters(function: Callable[..., Any]) -> int | None:
    """Return the number of parameters that a call of `function` must give by position, None if it cannot be known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional and parameter.default is inspect.Parameter.empty for parameter in parameters)


def explicit_or(given: Any, inferred: object) -> object:
    """Return the type that the user passed, or the inferred one if that is None."""
    return inferred if given is None else given


def without_none(found: object) -> object:
    """Return `T` for `T | None`, since a null key or value has no type."""
    arguments = typing.get_args(found)
    if type(None) not in arguments:
        return found
    rest = tuple(argument for argument in arguments if argument is not type(None))
    return rest[0] if len(rest) == 1 else typing.Union[rest]  # noqa: UP007 - the members are only known here


def element_type(collection: object) -> object:
    """Return the element type of an annotated iterable, or UNKNOWN."""
    arguments = typing.get_args(collection)
    return _known(arguments[0]) if arguments else UNKNOWN


def pair_types(pair: object) -> tuple[object, object]:
    """Return the types of key and value of an annotated pair, UNKNOWN for those without an annotation."""
    arguments = typing.get_args(pair)
    if len(arguments) == _PAIR:
        return _known(arguments[0]), _known(arguments[1])
    return UNKNOWN, UNKNOWN


def type_name(found: object) -> str:
    """Return the type as it is written in an annotation."""
    if isinstance(found, type) and not typing.get_args(found):
        return found.__name__
    return str(found).replace("typing.", "")


def _known(found: object) -> object:
    """Return the type, or UNKNOWN if it has type variables or is None."""
    if found in (None, type(None)) or isinstance(found, TypeVar) or getattr(found, "__parameters__", None):
        return UNKNOWN
    if found is typing.Self:
        return UNKNOWN
    return without_none(found)
