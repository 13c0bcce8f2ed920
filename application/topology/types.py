"""Infers the types of keys and values from the annotations of functions, so that codecs can be chosen by type."""

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import BuiltinMethodType, FunctionType, SimpleNamespace
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

_OF_BUILTINS: Final[Mapping[Any, object]] = {
    **dict.fromkeys((len, ord, hash, id), int),
    **dict.fromkeys((repr, ascii, chr, hex, oct, bin, format), str),
    **dict.fromkeys((callable, isinstance, any, all), bool),
    **{
        getattr(str, name): str
        for name in (
            *("upper", "lower", "strip", "lstrip", "rstrip", "title", "capitalize", "casefold", "swapcase", "replace", "join"),
            *("zfill", "format", "removeprefix", "removesuffix", "expandtabs", "center", "ljust", "rjust", "translate"),
        )
    },
    **dict.fromkeys((str.split, str.rsplit, str.splitlines), list[str]),
    **dict.fromkeys((str.count, str.find, str.index), int),
    **dict.fromkeys((str.isdigit, str.isalpha, str.isalnum, str.startswith, str.endswith), bool),
    str.encode: bytes,
    bytes.decode: str,
}
"""What builtin functions return, which have no annotations."""

_ELEMENTS: Final[Mapping[object, object]] = {str: str, bytes: int, range: int}
"""The types of the elements of collections without type arguments."""


def bare_type(found: Any) -> Any:
    """Return the type that an alias, an annotation or a `NewType` stands for."""
    while True:
        if isinstance(found, typing.NewType):
            found = found.__supertype__
        elif type(found).__name__ == "TypeAliasType":  # of Python 3.12
            found = found.__value__
        elif typing.get_origin(found) is typing.Annotated:
            found = typing.get_args(found)[0]
        else:
            return found


def returned_type(function: Callable[..., Any]) -> object:
    """Return the type that calling `function` returns, UNKNOWN if it cannot be known.

    It is that of a class itself, else that of the return annotation, and of common builtin functions and methods of `str`.
    """
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isclass(typing.get_origin(function) or function) or isinstance(function, typing.NewType):
        return function
    if isinstance(function, BuiltinMethodType) and isinstance(function.__self__, str | bytes):
        function = getattr(type(function.__self__), function.__name__)
    try:
        if function in _OF_BUILTINS:
            return _OF_BUILTINS[function]
    except TypeError:  # an object without a hash
        pass
    is_function = inspect.isroutine(function) or hasattr(function, "__wrapped__")
    annotated = function if is_function else getattr(type(function), "__call__", None)  # noqa: B004 - the method itself
    owner = getattr(function, "__self__", None) if is_function else function
    try:
        found = _return_annotation(annotated, owner)
    except (NameError, TypeError, AttributeError):
        return UNKNOWN
    if found is typing.Self and owner is not None:
        return owner if isinstance(owner, type) else type(owner)
    return _known(found)


def _return_annotation(function: Any, owner: object) -> object:
    """Return the return annotation, read where the function is defined: its other annotations need not exist at runtime."""
    code = inspect.unwrap(getattr(function, "__func__", function))
    annotation = getattr(function, "__annotations__", {}).get("return", UNKNOWN)
    if annotation is UNKNOWN:
        return UNKNOWN
    names: dict[str, Any] = {}
    if owner is not None and not inspect.ismodule(owner):
        made = owner if isinstance(owner, type) else type(owner)
        names |= {base.__name__: base for base in reversed(made.__mro__[:-1])}
    names |= _closed_over(code) if inspect.isfunction(code) else {}
    stand_in = SimpleNamespace(__annotations__={"return": annotation})
    return typing.get_type_hints(stand_in, getattr(code, "__globals__", {}), names)["return"]


def _closed_over(function: FunctionType) -> dict[str, Any]:
    """Return the variables around a function that have a value by now."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # an empty cell
            found[name] = cell.cell_contents
    return found


def aggregate_type(initializer: Callable[..., Any], *others: Callable[..., Any] | None) -> object:
    """Return the type of an aggregate, UNKNOWN if it cannot be known.

    Args:
        initializer: The function or class of the first aggregate.
        others: The functions of the next aggregates. What they return says what the elements of a `list` or `dict` are, and
            what the aggregate is if the initializer is not annotated. Where one is an int and another a float, it is a float.
    """
    found = returned_type(initializer)
    for other in others:
        next_type = UNKNOWN if other is None else returned_type(other)
        if next_type is UNKNOWN:
            continue
        says_more = typing.get_origin(next_type) is found or (found is int and next_type is float)
        if found is UNKNOWN or says_more:
            found = next_type
    return found


def type_arguments(supplier: Callable[..., Any], generic: type) -> tuple[object, ...]:
    """Return the types that a class, or what a function is annotated to return, passes to a generic class that it extends.

    Returns:
        The types, UNKNOWN for those that are type variables; none if the class or its types cannot be known.
    """
    made = returned_type(supplier)
    if typing.get_origin(made) is generic:
        return tuple(map(_known, typing.get_args(made)))
    for base in getattr(made, "__mro__", ()):
        for extended in base.__dict__.get("__orig_bases__", ()):
            if typing.get_origin(extended) is generic:
                return tuple(map(_known, typing.get_args(extended)))
    return ()


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
    if collection in _ELEMENTS:
        return _ELEMENTS[collection]
    arguments = typing.get_args(collection)
    if typing.get_origin(collection) is tuple and Ellipsis not in arguments and arguments:
        return _known(typing.Union[arguments])  # noqa: UP007 - the members are only known here
    return _known(arguments[0]) if arguments else UNKNOWN


def pair_types(pair: object) -> tuple[object, object]:
    """Return the types of key and value of an annotated pair, UNKNOWN for those without an annotation."""
    arguments = typing.get_args(pair)
    if len(arguments) == _PAIR and Ellipsis in arguments:
        return _known(arguments[0]), _known(arguments[0])
    if len(arguments) == _PAIR:
        return _known(arguments[0]), _known(arguments[1])
    return UNKNOWN, UNKNOWN


RESOLVING: Final = "import or define it at the top of its module, neither in a function nor under TYPE_CHECKING"
"""What to do about a name in an annotation that means nothing at run time."""


def is_typed_dict(found: object) -> bool:
    """Return whether a type is a TypedDict, of `typing` or of `typing_extensions`, whose class differs before Python 3.13."""
    return typing.is_typeddict(found) or type(found).__name__ == "_TypedDictMeta"


def required_keys(typed_dict: Any) -> frozenset[str]:
    """Return the keys that a TypedDict must have, also of a module with `from __future__ import annotations`.

    There, Python before 3.14 does not see `Required` and `NotRequired`, since they are text when the class is created.
    """
    required = set(typed_dict.__required_keys__)
    try:
        hints = typing.get_type_hints(typed_dict, include_extras=True)
    except (NameError, TypeError):
        return frozenset(required)
    for key, hint in hints.items():
        marks = {typing.get_origin(hint), *map(typing.get_origin, typing.get_args(hint)[:1])}
        required -= {key} if typing.NotRequired in marks else set()
        required |= {key} if typing.Required in marks else set()
    return frozenset(required)


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
