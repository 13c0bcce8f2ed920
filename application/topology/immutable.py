"""Values that can be changed in place: what operators keep or have emitted is not shared with functions that might change it.

Whether the values of a type can be changed is decided once for the type. Where it cannot be known, it is decided by the class of
each value. Values that cannot be changed are shared, and cost nothing.
"""

import copy
import datetime as dt
import decimal
import fractions
import ipaddress
import pathlib
import types
import typing
import uuid
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from operator import is_
from typing import Any, Final, TypeVar

from eddyline.application.topology.callables import NO_RESULTS
from eddyline.application.topology.types import bare_type

T = TypeVar("T")

_ATOMIC: Final[tuple[type, ...]] = (
    str,
    bytes,
    int,
    float,
    complex,
    type(None),
    Enum,
    decimal.Decimal,
    fractions.Fraction,
    dt.date,
    dt.time,
    dt.timedelta,
    dt.tzinfo,
    uuid.UUID,
    pathlib.PurePath,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    *NO_RESULTS,
)
"""Classes of values that cannot be changed, and of what is refused as a value."""

_COPYING: Final = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs_ex__")
"""Methods with which a class says how its values are copied."""

_decided: dict[object, bool] = {}
_shared: set[type] = set()
"""Classes of which all values are shared."""
_copiers: dict[type, Callable[[Any], Any]] = {}


def is_immutable(found: Any, *, own_lists: bool = False) -> bool:
    """Return whether no value of a type can be changed in place; False if that cannot be known.

    Args:
        found: The type.
        own_lists: Whether lists are those of an operator, which never changes them.
    """
    if own_lists and typing.get_origin(found) is tuple:
        return all(is_immutable(part, own_lists=True) for part in typing.get_args(found))
    if own_lists and typing.get_origin(found) is list:
        return is_immutable(typing.get_args(found)[0])
    try:
        if found not in _decided:
            _decided[found] = _is_immutable(found, {}, set())
    except TypeError:  # it has no hash
        return False
    return _decided[found]


def own_copy(value: T) -> T:
    """Return the value, or a copy of it and of all its parts if it could be changed in place.

    Raises:
        TypeError: The value cannot be copied.
    """
    if type(value) in _shared:
        return value
    copier = _copiers.get(type(value)) or _learn(type(value))
    return copier(value)  # type: ignore[no-any-return] # of the same type


def with_own_copies(function: Callable[..., T]) -> Callable[..., T]:
    """Return a function that may change its arguments in place, or keep them."""
    return lambda *arguments, **named: function(*map(own_copy, arguments), **own_copy(named))


def with_copied_result(function: Callable[..., T]) -> Callable[..., T]:
    """Return a function that may change later what it returned, or return it again."""
    return lambda *arguments: own_copy(function(*arguments))


# --- types --------------------------------------------------------------------------------------------------------------


def _is_immutable(found: Any, variables: Mapping[Any, bool], deciding: set[object]) -> bool:
    """Return whether no value of a type can be changed.

    Args:
        found: The type.
        variables: Whether the values of type variables cannot be changed.
        deciding: The types that contain it.
    """
    found = bare_type(found)
    if found in deciding or isinstance(found, TypeVar):
        return variables.get(found, found in deciding)
    origin, arguments = typing.get_origin(found), typing.get_args(found)
    if origin is typing.Literal:
        return True
    parts = [one is Ellipsis or _is_immutable(one, variables, deciding) for one in arguments]
    if origin in (typing.Union, types.UnionType, tuple, frozenset):
        return all(parts)
    kind = found if origin is None else origin
    if not isinstance(kind, type):
        return False
    own = dict(zip(getattr(kind, "__parameters__", ()), parts, strict=False))
    return issubclass(kind, _ATOMIC) or _has_immutable_parts(kind, own, {*deciding, found})


def _has_immutable_parts(found: type, variables: Mapping[Any, bool], deciding: set[object]) -> bool:
    """Return whether a class is a named tuple, or a dataclass with fixed fields, none of whose parts can be changed."""
    if not (_is_frozen(found) or (issubclass(found, tuple) and hasattr(found, "_fields"))):
        return False
    try:
        hints = typing.get_type_hints(found, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return False
    names = [field.name for field in fields(found)] if is_dataclass(found) else found._fields  # type: ignore[attr-defined] # of a named tuple
    return all(name in hints and _is_immutable(hints[name], variables, deciding) for name in names)


def _is_frozen(found: type) -> bool:
    """Return whether a class is a dataclass whose fields are not assigned: it is frozen, or promises so with a hash."""
    if not is_dataclass(found):
        return False
    parameters = found.__dataclass_params__  # type: ignore[attr-defined] # of every dataclass
    return bool(parameters.frozen or parameters.unsafe_hash)


# --- values -------------------------------------------------------------------------------------------------------------


def _learn(kind: type) -> Callable[[Any], Any]:
    """Return the function that copies the values of a class, and remember it."""
    if kind is frozenset or is_immutable(kind):
        _shared.add(kind)
        return _same
    _copiers[kind] = copier = _copier(kind)
    return copier


def _copier(kind: type) -> Callable[[Any], Any]:
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return _copied_tuple
    if is_dataclass(kind) and all(map(partial(_is_copied_plainly, kind), _COPYING)):
        return _dataclass_copier(kind)
    return _deep_copy


def _is_copied_plainly(kind: type, method: str) -> bool:
    """Return whether a class does not define a method; frozen dataclasses with slots get some for their fields."""
    found = getattr(kind, method, None)
    return found is getattr(object, method, None) or getattr(found, "__module__", None) == "dataclasses"


def _same(value: Any) -> Any:
    return value


def _copied_list(value: list[Any]) -> list[Any]:
    return value.copy() if _shared.issuperset(map(type, value)) else list(map(own_copy, value))


def _copied_dict(value: dict[Any, Any]) -> dict[Any, Any]:
    if _shared.issuperset(map(type, value.values())):
        return value.copy()
    return {key: own_copy(one) for key, one in value.items()}


def _copied_tuple(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if not value or _shared.issuperset(map(type, value)):
        return value
    parts = [part if type(part) in _shared else own_copy(part) for part in value]
    return value if all(map(is_, parts, value)) else tuple.__new__(type(value), parts)


def _dataclass_copier(kind: type) -> Callable[[Any], Any]:
    """Return the function that copies a dataclass, whatever its `__init__` takes; a frozen one only if a field can be changed."""
    names, frozen = [field.name for field in fields(kind)], _is_frozen(kind)
    set_attribute, new = object.__setattr__, object.__new__

    def copied(value: Any) -> Any:
        parts = [getattr(value, name) for name in names]
        if frozen and _shared.issuperset(map(type, parts)):
            return value
        own = [part if type(part) in _shared else own_copy(part) for part in parts]
        if frozen and all(map(is_, own, parts)):
            return value
        made: Any = new(kind)
        if hasattr(value, "__dict__"):
            made.__dict__.update(value.__dict__ if len(value.__dict__) == len(names) else _copied_dict(value.__dict__))
        for name, part in zip(names, own, strict=True):
            set_attribute(made, name, part)
        return made

    return copied


def _deep_copy(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception as error:
        kind = type(value)
        msg = (
            f"a value of type '{kind.__module__}.{kind.__qualname__}' cannot be copied: {error}; values that may be changed in "
            "place are copied, so that no operator sees what another one changes; give the class '__deepcopy__', or make it a "
            "frozen dataclass"
        )
        raise TypeError(msg) from error


_PLAIN: Final[Mapping[type, Callable[[Any], Any]]] = {list: _copied_list, dict: _copied_dict, set: set}
