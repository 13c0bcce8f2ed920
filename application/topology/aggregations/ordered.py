"""The greatest and the least values, and values in order.

On a stream, only the values that may be part of the result are kept. On a table a row can be subtracted, so that the next one
takes its place: all values of a group are kept. Which of equal values is the first to be added is known where values are added
one by one. With partial aggregates of several partitions or overlapping windows it is the first in the partial aggregate that is
merged first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps, always, selected_type
from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.callables import check_result
from eddyline.application.topology.errors import TopologyError

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")
R = TypeVar("R")


def top_n(n: int, by: Callable[[V], Any], *, with_ties: bool = False) -> Aggregation[V, list[V]]:
    """Return the aggregation to the n greatest values, greatest first, and of equally great ones the first to be added first.

    Args:
        n: How many values, 1 or more.
        by: Returns what the values are compared by: a number, a text, or a tuple of these.
        with_ties: Whether to keep, beyond n, all values that are as great as the last one, as FETCH FIRST n ROWS WITH TIES does.

    Raises:
        TopologyError: If n is less than 1, or `by` is a coroutine function or a generator function.
    """
    check_result("the function of top_n(…)", by)
    given: object = n
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        msg = f"top_n(…) takes the number of values, 1 or more, but got {n!r}"
        raise TopologyError(msg)

    def first(values: list[V]) -> list[V]:
        if len(values) <= n:
            return values
        return values[bisect_left(values, by(values[-n]), key=by) :] if with_ties else values[-n:]

    def add(values: list[V], value: V) -> list[V]:
        rank = by(value)
        if len(values) >= n and (rank < by(values[-n]) if with_ties else rank <= by(values[0])):
            return values
        return first(_inserted(values, bisect_left(values, rank, key=by), value))

    def merge(one: list[V], other: list[V]) -> list[V]:
        for value in reversed(other):
            one = add(one, value)
        return one

    bounded = Steps(_list_of, Fold(list, add, merge), lambda values: values[::-1])
    return Aggregation("top_n", bounded, _all_values(by, lambda values: first(values)[::-1]), _list_of)


def max_by(by: Callable[[V], Any]) -> Aggregation[V, V]:
    """Return the aggregation to the greatest value, of equally great ones the first to be added; no row without values.

    Args:
        by: Returns what the values are compared by: a number, a text, or a tuple of these.

    Raises:
        TopologyError: If it is a coroutine function or a generator function.
    """
    check_result("the function of max_by(…)", by)
    bounded = _best(lambda best, value: value if by(value) > by(best) else best)
    return Aggregation("max_by", bounded, _all_values(by, lambda values: values[-1] if values else None), lambda found: found)


def min_by(by: Callable[[V], Any]) -> Aggregation[V, V]:
    """Return the aggregation to the least value, of equally great ones the first to be added; no row without values.

    Args:
        by: Returns what the values are compared by: a number, a text, or a tuple of these.

    Raises:
        TopologyError: If it is a coroutine function or a generator function.
    """
    check_result("the function of min_by(…)", by)

    def least(values: list[V]) -> V | None:
        return values[bisect_right(values, by(values[0]), key=by) - 1] if values else None

    bounded = _best(lambda best, value: value if by(value) < by(best) else best)
    return Aggregation("min_by", bounded, _all_values(by, least), lambda found: found)


def max(of: Callable[[V], R], *, value: type[R] | None = None) -> Aggregation[V, R]:  # noqa: A001 - named as in SQL
    """Return the aggregation to the greatest of what a function returns for the values; no row without values.

    Args:
        of: Returns a number, a text, or a tuple of these.
        value: The type of what it returns, by default its annotated return type.

    Raises:
        TopologyError: If this type is unknown.
    """
    return _of("max", of, selected_type("max", of, value), max_by(_same))


def min(of: Callable[[V], R], *, value: type[R] | None = None) -> Aggregation[V, R]:  # noqa: A001 - named as in SQL
    """Return the aggregation to the least of what a function returns for the values; no row without values.

    Args:
        of: Returns a number, a text, or a tuple of these.
        value: The type of what it returns, by default its annotated return type.

    Raises:
        TopologyError: If this type is unknown.
    """
    return _of("min", of, selected_type("min", of, value), min_by(_same))


def collect_list(by: Callable[[V], Any] | None = None) -> Aggregation[V, list[V]]:
    """Return the aggregation to the list of all values, which grows with the group.

    Args:
        by: Returns what the values are sorted by, least first; equal ones, and by default all, are in the order of their arrival.

    Raises:
        TopologyError: If it is a coroutine function or a generator function.
    """
    check_result("the function of collect_list(…)", by)

    def add(values: list[V], value: V) -> list[V]:
        index = len(values) if by is None else bisect_right(values, by(value), key=by)
        return _inserted(values, index, value)

    def merge(one: list[V], other: list[V]) -> list[V]:
        if by is None:
            return one + other
        return sorted(one + other, key=by)

    def subtract(values: list[V], value: V) -> list[V]:
        index = values.index(value) if by is None else _index(values, value, by)
        return values[:index] + values[index + 1 :]

    steps = Steps(_list_of, Fold(list, add, merge, subtract, in_order=by is None))
    return Aggregation("collect_list", steps, steps, _list_of)


def _best(better: Callable[[Any, Any], Any]) -> Steps:
    """Return the steps that keep one value in a list; `better` returns the better one of two, in the order of their arrival."""

    def add(best: list[Any], value: Any) -> list[Any]:
        if not best:
            return [value]
        before = best[0]
        found = better(before, value)
        return best if found is before else [found]

    def merge(one: list[Any], other: list[Any]) -> list[Any]:
        return add(one, other[0]) if other else one

    return Steps(_list_of, Fold(list, add, merge), lambda best: best[0] if best else None)


def _all_values(by: Callable[[Any], Any], result: Callable[[list[Any]], Any]) -> Steps:
    """Return the steps that keep all values, least first, and of equal ones the first to be added last."""

    def add(values: list[Any], value: Any) -> list[Any]:
        return _inserted(values, bisect_left(values, by(value), key=by), value)

    def subtract(values: list[Any], value: Any) -> list[Any]:
        index = _index(values, value, by)
        return values[:index] + values[index + 1 :]

    return Steps(_list_of, Fold(list, add, subtract=subtract), result)


def _of(name: str, of: Callable[[Any], Any], found: object, aggregation: Aggregation[Any, Any]) -> Aggregation[Any, Any]:
    """Return the aggregation of what a function returns for the values, which is of the type `found`."""

    def mapped(steps: Steps) -> Steps:
        adder, subtractor = steps.fold.add, steps.fold.subtract
        fold = replace(
            steps.fold,
            add=lambda state, value: adder(state, of(value)),
            subtract=None if subtractor is None else lambda state, value: subtractor(state, of(value)),
        )
        return replace(steps, state_type=always(steps.state_type(found)), fold=fold)

    return Aggregation(name, mapped(aggregation.of_stream), mapped(aggregation.of_table), always(found))


def _inserted(values: list[V], index: int, value: V) -> list[V]:
    return [*values[:index], value, *values[index:]]


def _index(values: list[V], value: V, by: Callable[[V], Any]) -> int:
    """Return the index of a value in a list that is sorted."""
    rank = by(value)
    return values.index(value, bisect_left(values, rank, key=by), bisect_right(values, rank, key=by))


def _list_of(found: object) -> object:
    return list[found]  # type: ignore[valid-type] # types are values here


def _same(value: R) -> R:
    return value
