"""Which type a step gives, read from the functions it is made of, so that codecs can be chosen without being told."""

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, Final, TypeVar


class _Unknown:
    """The type of what no annotation tells."""

    def __repr__(self) -> str:
        return "unknown"

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()

_PAIR = 2


def returned_type(function: Callable[..., Any]) -> object:
    """The type that calling `function` gives: a class gives itself, a function its return annotation, else UNKNOWN."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isclass(function):
        return function
    annotated = function if hasattr(function, "__annotations__") else getattr(function, "__call__", None)  # noqa: B004 - wanted: the method
    try:
        hints = typing.get_type_hints(annotated)
    except (NameError, TypeError, AttributeError):
        return UNKNOWN
    return known(hints.get("return", UNKNOWN))


def known(found: object) -> object:
    """`found`, or UNKNOWN where it still has type variables or is no type of a value."""
    if found in (None, type(None)) or isinstance(found, TypeVar) or getattr(found, "__parameters__", None):
        return UNKNOWN
    if found is typing.Self:
        return UNKNOWN
    return without_none(found)


def without_none(found: object) -> object:
    """`T` for `T | None`: a missing key or value is no value of its type."""
    arguments = typing.get_args(found)
    if type(None) not in arguments:
        return found
    rest = tuple(argument for argument in arguments if argument is not type(None))
    return rest[0] if len(rest) == 1 else typing.Union[rest]  # noqa: UP007 - the members are only known here


def element_type(collection: object) -> object:
    """The type of the elements of an annotated iterable, or UNKNOWN."""
    arguments = typing.get_args(collection)
    return known(arguments[0]) if arguments else UNKNOWN


def pair_types(pair: object) -> tuple[object, object]:
    """The types of key and value of an annotated pair, UNKNOWN where it does not tell."""
    arguments = typing.get_args(pair)
    if len(arguments) == _PAIR:
        return known(arguments[0]), known(arguments[1])
    return UNKNOWN, UNKNOWN


def type_name(found: object) -> str:
    """The type as a reader would write it."""
    if isinstance(found, type) and not typing.get_args(found):
        return found.__name__
    return str(found).replace("typing.", "")
