"""The one of all equal keys that is encoded in place of each of them."""

import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Number
from types import NoneType, UnionType
from typing import Any, Final, TypeAlias, TypeVar

from eddyline.application.topology.forms.records import field_types, has_fields, is_named_tuple, type_arguments
from eddyline.application.topology.types import UNKNOWN

Canonical: TypeAlias = Callable[[Any], Any]
"""Returns the one of all keys equal to a key that is encoded in their place; other values than keys are returned as they are."""

_UNTYPED: Final = (Any, object, UNKNOWN)
_NUMBERS: Final = (int, float, Decimal, Fraction, bool)
_DAY: Final = timedelta(days=1)
_FIRST: Final = datetime(1, 1, 1)  # noqa: DTZ001 - times of any offset are counted from it
_LAST: Final = datetime(9999, 12, 31, 23, 59, 59, 999_999)  # noqa: DTZ001 - likewise


def canonical_key(declared: Any) -> Canonical:
    """Return a function that returns the one of all keys equal to a key that is encoded in their place.

    It is of the declared type: 1 is 1.0 among numbers of type float. Instants are in UTC.
    """
    return _canonical(declared, {})


def is_canonical(declared: Any) -> bool:
    """Return whether each key of a type that has exactly the declared classes is the only one of those equal to it."""
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin is tuple:
        return all(argument is Ellipsis or is_canonical(argument) for argument in arguments)
    return declared in _ALONE


def _canonical(declared: Any, known: dict[Any, Canonical]) -> Canonical:
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if hasattr(declared, "__supertype__"):
        return _canonical(declared.__supertype__, known)
    if origin is typing.Annotated:
        return _canonical(arguments[0], known)
    if origin in (typing.Union, UnionType):
        return _of_union([argument for argument in arguments if argument is not NoneType], known)
    kind = declared if origin is None else origin
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if declared in _UNTYPED or isinstance(declared, TypeVar):
        return _untyped
    if not isinstance(kind, type):
        return _unchanged
    if issubclass(kind, Enum):
        return _enum(kind)
    if kind in (tuple, frozenset) or is_named_tuple(kind):
        return _of_elements(kind, arguments, known)
    if has_fields(kind):
        return _of_fields(declared, kind, arguments, known)
    return _unchanged


def _unchanged(key: Any) -> Any:
    return key


def _text(key: Any) -> Any:
    return key if type(key) is str or not isinstance(key, str) else str.__str__(key)


def _bytes(key: Any) -> Any:
    return bytes(key) if isinstance(key, bytes) and type(key) is not bytes else key


def _int(key: Any) -> Any:
    return key if type(key) is int or not isinstance(key, Number) else _if_equal(int, key)


def _bool(key: Any) -> Any:
    return key if type(key) is bool or not isinstance(key, Number) else _if_equal(bool, key)


def _float(key: Any) -> Any:
    found = key if type(key) is float else _if_equal(float, key) if isinstance(key, Number) else key
    if type(found) is not float:
        return found
    return found + 0.0  # which is 0.0 for -0.0


def _decimal(key: Any) -> Any:
    found = (
        key
        if type(key) is Decimal
        else _if_equal(_quotient if isinstance(key, Fraction) else Decimal, key)
        if isinstance(key, Number)
        else key
    )
    if type(found) is not Decimal or not found.is_finite():
        return found
    sign, digits, exponent = found.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return Decimal(0)
    kept = text.rstrip("0")
    exponent = int(exponent) + len(text) - len(kept)
    if 0 < exponent <= _MOST_ZEROS:
        kept, exponent = kept + "0" * exponent, 0
    return Decimal((sign, tuple(map(int, kept)), exponent))


def _quotient(key: Fraction) -> Decimal:
    return Decimal(key.numerator) / key.denominator


def _fraction(key: Any) -> Any:
    return key if type(key) is Fraction or not isinstance(key, Number) else _if_equal(Fraction, key)


def _if_equal(kind: Callable[[Any], Any], key: Any) -> Any:
    """Return the equal number of another class, the key itself if there is none."""
    try:
        found = kind(key)
    except (TypeError, ValueError, OverflowError):
        return key
    return found if found == key else key


def _datetime(key: Any) -> Any:
    if type(key) is not datetime:
        return key
    offset = key.utcoffset()
    if offset is None:
        return key.replace(fold=0)
    try:
        return key.astimezone(UTC).replace(fold=0)
    except OverflowError:  # within a day of the first or the last year
        since = key.replace(tzinfo=None) - _FIRST - offset
        local = timedelta() if since < timedelta() else _LAST - _FIRST
        return (_FIRST + local).replace(tzinfo=timezone(local - since))


def _time(key: Any) -> Any:
    if type(key) is not time:
        return key
    offset = key.utcoffset()
    if offset is None:
        return key.replace(fold=0)
    since = timedelta(hours=key.hour, minutes=key.minute, seconds=key.second, microseconds=key.microsecond) - offset
    last = _DAY - timedelta(microseconds=1)
    local = min(max(since, timedelta()), last)
    zone = UTC if local == since else timezone(local - since)
    return (datetime(1, 1, 1, tzinfo=UTC) + local).time().replace(tzinfo=zone)


def _enum(kind: type[Enum]) -> Canonical:
    if len(kind.__mro__) == len(Enum.__mro__) + 1:
        return _unchanged  # its members are equal to none but themselves

    def canonical(key: Any) -> Any:
        if type(key) is kind:
            return key
        try:
            return kind(key)
        except ValueError:
            return key

    return canonical


def _of_elements(kind: Any, arguments: Sequence[Any], known: dict[Any, Canonical]) -> Canonical:
    if is_named_tuple(kind):
        hints, variables = typing.get_type_hints(kind), type_arguments(kind, arguments)
        each = [_canonical(variables.get(hint, hint), known) for hint in field_types(kind, hints).values()]
    elif kind is frozenset or (len(arguments) > 1 and arguments[1] is Ellipsis) or not arguments:
        element = _canonical(arguments[0] if arguments else Any, known)
        base = frozenset if kind is frozenset else tuple
        return lambda key: base(map(element, key)) if isinstance(key, base) else key
    else:
        each = [_canonical(argument, known) for argument in arguments]
    create = getattr(kind, "_make", tuple)

    def canonical(key: Any) -> Any:
        if not isinstance(key, tuple) or len(key) != len(each):
            return key
        return create(one(part) for one, part in zip(each, key, strict=True))

    return canonical


def _of_fields(declared: Any, kind: Any, arguments: Sequence[Any], known: dict[Any, Canonical]) -> Canonical:
    if declared in known:
        return lambda key: known[declared](key)  # noqa: PLW0108 - it changes below
    known[declared] = _unchanged
    hints, variables = typing.get_type_hints(kind), type_arguments(kind, arguments)
    each = {name: _canonical(variables.get(hint, hint), known) for name, hint in field_types(kind, hints).items()}
    if all(one is _unchanged for one in each.values()):
        return _subclasses_too(kind, _unchanged)

    def canonical(key: Any) -> Any:
        changed = {}
        for name, one in each.items():
            part = getattr(key, name)
            found = one(part)
            if found is not part:
                changed[name] = found
        return _with_fields(key, changed) if changed else key

    known[declared] = _subclasses_too(kind, canonical)
    return known[declared]


def _subclasses_too(kind: type, canonical: Canonical) -> Canonical:
    """Return a function for the objects of a class with fields, and those of its subclasses, whose fields it finds out."""
    others: dict[type, Canonical] = {}

    def found(key: Any) -> Any:
        own = type(key)
        if own is kind:
            return canonical(key)
        if not isinstance(key, kind) or not has_fields(own):
            return key
        if own not in others:
            others[own] = canonical_key(own)
        return others[own](key)

    return found


def _with_fields(key: Any, changed: Mapping[str, Any]) -> Any:
    if hasattr(key, "model_copy"):
        return key.model_copy(update=changed)
    created = object.__new__(type(key))
    for field in dataclasses.fields(key):
        object.__setattr__(created, field.name, changed[field.name] if field.name in changed else getattr(key, field.name))
    return created


def _of_union(members: Sequence[Any], known: dict[Any, Canonical]) -> Canonical:
    if len(members) == 1:
        return _canonical(members[0], known)
    if any(member in _UNTYPED for member in members):
        return _untyped
    numbers = [(_SIMPLE[kind], kind) for kind in _NUMBERS if kind in members]
    others = [(typing.get_origin(member) or member, _canonical(member, known)) for member in members if member not in _NUMBERS]

    def canonical(key: Any) -> Any:
        if isinstance(key, Number):
            for number, kind in numbers:
                found = number(key)
                if type(found) is kind:
                    return found
        for kind, other in others:
            if isinstance(kind, type) and isinstance(key, kind):
                return other(key)
        return key

    return canonical


def _untyped(key: Any) -> Any:
    if type(key) is str:
        return key
    if isinstance(key, Number):
        found = _int(key)
        return found if type(found) is int else _float(key)
    kind = type(key)
    if kind in (datetime, time):
        return _SIMPLE[kind](key)
    return kind(map(_untyped, key)) if kind in (tuple, frozenset) else _text(key)


_MOST_ZEROS: Final = 400
_ALONE: Final = (str, int, bytes, bool)
_SIMPLE: Final[Mapping[Any, Canonical]] = {
    str: _text,
    bytes: _bytes,
    int: _int,
    bool: _bool,
    float: _float,
    Decimal: _decimal,
    Fraction: _fraction,
    datetime: _datetime,
    time: _time,
}
