"""Whether a value came back as it was: equal, and of the same classes in all its parts."""

import dataclasses
from collections import Counter, defaultdict, deque
from datetime import datetime, time
from decimal import Decimal
from math import copysign, isnan
from typing import Any

_PLAIN = frozenset({str, int, bool, bytes, type(None)})


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, and of the same classes in all their parts; not-a-number is the same as itself."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in _PLAIN:
        return bool(one == other)
    if kind is float:
        return (isnan(one) and isnan(other)) or (one == other and copysign(1, one) == copysign(1, other))
    if kind is Decimal:
        return str(one) == str(other)
    if kind is datetime or kind is time:
        return one.replace(tzinfo=None) == other.replace(tzinfo=None) and (one.tzinfo, one.fold) == (other.tzinfo, other.fold)
    if isinstance(one, dict):
        return _same_dicts(one, other)
    if isinstance(one, list | tuple | deque):
        return len(one) == len(other) and all(map(same, one, other)) and _limits(one) == _limits(other)
    if isinstance(one, set | frozenset):
        return _without_nan(one) == _without_nan(other) and Counter(map(type, one)) == Counter(map(type, other))
    if dataclasses.is_dataclass(one):
        return all(same(_field(one, name), _field(other, name)) for name in kind.__dataclass_fields__)
    if hasattr(kind, "model_fields"):
        return bool(one == other) and all(same(getattr(one, name), getattr(other, name)) for name in kind.model_fields)
    return bool(one == other)


def _without_nan(found: Any) -> set[Any]:
    return {part for part in found if part == part}  # noqa: PLR0124 - not-a-number alone differs from itself


def _same_dicts(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    if isinstance(one, defaultdict) and one.default_factory is not other.default_factory:  # type: ignore[attr-defined]
        return False
    return len(one) == len(other) and all(map(same, one, other)) and all(map(same, one.values(), other.values()))


def _limits(sequence: Any) -> int | None:
    limit: int | None = getattr(sequence, "maxlen", None)
    return limit


def _field(value: Any, name: str) -> Any:
    return getattr(value, name, None)
