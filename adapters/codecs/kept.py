"""Whether a value comes back from a topic as it was written: equal, and of the classes that its type distinguishes."""

import dataclasses
from collections import Counter, deque
from collections.abc import Collection, Hashable, Iterable
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from math import copysign
from typing import Any, Final, NamedTuple

from eddyline.adapters.codecs.field_names import field_names

_SCALARS: Final = frozenset({str, int, float, bytes, datetime, date, time, timedelta, Decimal})
_OF_BASES: Final = _SCALARS | {list, tuple, dict}
"""The classes of which subclasses come back as the class itself, such as `numpy.float64` as `float`."""
_EQUAL: Final = frozenset({str, int, bool, bytes, type(None)})
_YEAR_ONE: Final = datetime(1, 1, 1)  # noqa: DTZ001 - the time without offsets is counted
_OF_JSON: Final = frozenset({str, int, float, bool, list, dict, type(None)})


class Comparison(NamedTuple):
    """How values of a type are compared with what comes back.

    Attributes:
        has_unions: Whether the class of a value may decide what is done with it, since another one would have been possible.
        has_untyped: Whether a part has no type, so that it comes back as JSON would represent it.
        is_strict: Whether a boolean is no number.
    """

    has_unions: bool
    has_untyped: bool
    is_strict: bool

    def is_kept(self, value: Any, found: Any) -> bool:
        """Return whether a value is what was found where it was written; fields that are not written are not compared."""
        other = type(found)
        if type(value) is not other:
            if self.has_untyped and other in _OF_JSON:
                return True
            if not self._stands_for(value, other):
                return False
        if other in _EQUAL:
            return bool(value == found)
        if isinstance(found, set | frozenset):
            return bool(value == found) and (not self.has_unions or Counter(map(type, value)) == Counter(map(type, found)))
        if isinstance(found, dict):
            found = _in_order_of(value, found)
            return self._are_kept(value, found) and self._are_kept(value.values(), found.values())
        parts = _parts(found)
        return _is_same(value, found) if parts is None else self._are_kept(_parts(value), parts)

    def change(self, value: Any, found: Any) -> tuple[str, Any, Any]:
        """Return the path of the first part of a value that is not kept, the part, and what comes back in its place."""
        if type(value) is type(found):
            found = _in_order_of(value, found) if isinstance(found, dict) else found
            for path, one, other in zip(_paths(value), _parts(value) or (), _parts(found) or (), strict=False):
                if not self.is_kept(one, other):
                    inner, part, back = self.change(one, other)
                    return path + inner, part, back
        return "", value, found

    def _are_kept(self, values: Any, found: Any) -> bool:
        return len(values) == len(found) and all(map(self.is_kept, values, found))

    def _stands_for(self, value: Any, other: type) -> bool:
        """Return whether a whole number, a value of a subclass, or a set of another kind may come back as one of a class."""
        if type(value) is int and other is float:
            return True
        if isinstance(value, AbstractSet) and issubclass(other, AbstractSet):
            return not self.has_unions
        if self.has_unions and (isinstance(value, Enum) or other not in _SCALARS):
            return False
        if isinstance(value, bool) and self.is_strict:
            return False
        return other in _OF_BASES and isinstance(value, other)


def cure(part: Any, back: Any) -> str:
    """Return what to do about a part of a value that would come back as something else, such as a number of numpy as an int."""
    kind = type(back)
    converted = f"write {kind.__name__}(…), or " if kind in _OF_JSON and type(part) is not kind and back is not None else ""
    return f"{converted}declare the type of what is written"


def _in_order_of(value: dict[Any, Any], found: dict[Any, Any]) -> dict[Any, Any]:
    """Return what was found in the order of the value, if it has the same keys: the maps of Protobuf have no order."""
    if list(value) == list(found) or value.keys() != found.keys():
        return found
    keys = {key: key for key in found}
    return {keys[key]: found[key] for key in value}


def _is_same(value: Any, found: Any) -> bool:
    if isinstance(found, float) and value == found:
        return copysign(1, value) == copysign(1, found)
    if isinstance(found, datetime) and found.utcoffset() is not None and value.utcoffset() is not None:
        return _since_year_one(value) == _since_year_one(found)
    return bool(value == found or (value != value and found != found))  # noqa: PLR0124 - not-a-number


def _since_year_one(value: datetime) -> timedelta:
    """Return the time since the first instant in UTC; that of years 1 and 9999 may be outside the range of UTC."""
    return value.replace(tzinfo=None) - _YEAR_ONE - (value.utcoffset() or timedelta())


def _parts(value: Any) -> Collection[Any] | None:
    """Return the parts of a value, in their order: elements, values or fields; None if it has none."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list | tuple | deque):
        return value
    names = _names_of(value)
    return None if names is None else [getattr(value, name, None) for name in names]


def _paths(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        return (f"[{key!r}]" for key in value)
    if isinstance(value, list | tuple | deque):
        return (f"[{index}]" for index in range(len(value)))
    return (f".{name}" for name in _names_of(value) or ())


def _names_of(value: Any) -> list[str] | None:
    kind: Any = type(value)
    return _written(kind)


@cache
def _written(kind: Hashable) -> list[str] | None:
    """Return the names of the fields that are written of a class, None if it has no fields."""
    if dataclasses.is_dataclass(kind) or hasattr(kind, "__pydantic_fields__"):
        return [name for name, each in field_names(kind, "as-declared").items() if not each.excluded]
    return None
