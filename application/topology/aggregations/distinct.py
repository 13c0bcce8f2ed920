"""The number of distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps, always, selected_type
from eddyline.application.topology.aggregations.fold import Fold

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")
T = TypeVar("T")

_Sets: TypeAlias = tuple[frozenset[Any], ...]
"""Disjoint sets, each at least twice as large as the next."""


def count_distinct(of: Callable[[V], T | None], *, value: type[T] | None = None) -> Aggregation[V, int]:
    """Return the aggregation that counts how many different values a function returns, as COUNT(DISTINCT …) in SQL.

    All of them are kept, so the state grows with their number; None does not count.

    Args:
        of: Returns a number, a text, or a tuple of these.
        value: The type of what it returns, by default its annotated return type.

    Raises:
        TopologyError: If this type is unknown.
    """
    found: Any = selected_type("count_distinct", of, value)

    def add(sets: _Sets, each: V) -> _Sets:
        counted = of(each)
        return sets if counted is None or any(counted in one for one in sets) else _with(sets, frozenset((counted,)))

    def merge(one: _Sets, other: _Sets) -> _Sets:
        for values in other:
            new = values.difference(*one)
            if new:
                one = _with(one, new)
        return one

    of_stream = Steps(always(tuple[frozenset[found], ...]), Fold(tuple, add, merge), _total)
    of_table = Steps(
        always(list[tuple[found, int]]),
        Fold(
            list,
            lambda counts, each: _changed(counts, of(each), 1),
            subtract=lambda counts, each: _changed(counts, of(each), -1),
        ),
        len,
    )
    return Aggregation("count_distinct", of_stream, of_table, always(int))


def _with(sets: _Sets, new: frozenset[Any]) -> _Sets:
    """Return the sets with new values; smaller sets are merged, so that a value is copied a few times, not at every addition."""
    kept = len(sets)
    while kept and len(sets[kept - 1]) < 2 * len(new):
        kept -= 1
        new |= sets[kept]
    return (*sets[:kept], new)


def _total(sets: _Sets) -> int:
    return sum(map(len, sets))


def _changed(counts: list[tuple[Any, int]], value: Any, by: int) -> list[tuple[Any, int]]:
    """Return how often each value occurs, with one value that occurs more or less often."""
    if value is None:
        return counts
    changed = dict(counts)
    changed[value] = changed.get(value, 0) + by
    if not changed[value]:
        del changed[value]
    return list(changed.items())
