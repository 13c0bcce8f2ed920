"""Counts, sums and means."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps, always, selected_type
from eddyline.application.topology.aggregations.exact_sum import NO_SUM, ExactSum, merged, plus
from eddyline.application.topology.aggregations.fold import COUNT, Fold
from eddyline.application.topology.callables import check_result

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")
N = TypeVar("N")

_Mean: TypeAlias = tuple[int, int, ExactSum]
"""The number of numbers, the sum of those that are no floats, and that of the floats."""


def count() -> Aggregation[Any, int]:
    """Return the aggregation that counts values, as COUNT(*) in SQL."""
    return Aggregation("count", steps := Steps(always(int), COUNT), steps, always(int))


def sum(of: Callable[[V], N], *, value: type[N] | None = None) -> Aggregation[V, N]:  # noqa: A001 - named as in SQL
    """Return the aggregation that adds up numbers; 0 if there are none.

    Floats are added up exactly, and the sum is rounded, so that it does not depend on their order, nor on where batches end.

    Args:
        of: Returns the number of a value.
        value: The type of the numbers, by default the annotated return type of `of`.

    Raises:
        TopologyError: If the type of the numbers is unknown.
    """
    found: Any = selected_type("sum", of, value)
    add: Callable[[V], Any] = of
    if float in (found, *get_args(found)):
        return Aggregation("sum", steps := _float_steps(add), steps, always(float))
    fold = Fold(
        initial=found,
        add=lambda total, each: total + add(each),
        merge=lambda one, other: one + other,
        subtract=lambda total, each: total - add(each),
    )
    return Aggregation("sum", steps := Steps(always(found), fold), steps, always(found))


def avg(of: Callable[[V], float]) -> Aggregation[V, float]:
    """Return the aggregation to the mean of numbers; no row without numbers.

    Args:
        of: Returns the number of a value, an int or a float; they are added up exactly, as by `sum`.

    Raises:
        TopologyError: If it is a coroutine function or a generator function.
    """
    check_result("the function of avg(…)", of)

    def add(state: _Mean, each: V) -> _Mean:
        count, whole, floats = state
        number: Any = of(each)
        return (count + 1, whole, plus(floats, number)) if isinstance(number, float) else (count + 1, whole + number, floats)

    def subtract(state: _Mean, each: V) -> _Mean:
        count, whole, floats = state
        number: Any = of(each)
        return (count - 1, whole, plus(floats, -number)) if isinstance(number, float) else (count - 1, whole - number, floats)

    def mean(state: _Mean) -> float | None:
        count, whole, floats = state
        return (whole + floats[0] if floats != NO_SUM else whole) / count if count else None

    fold = Fold(
        initial=lambda: (0, 0, NO_SUM),
        add=add,
        merge=lambda one, other: (one[0] + other[0], one[1] + other[1], merged(one[2], other[2])),
        subtract=subtract,
    )
    return Aggregation("avg", steps := Steps(always(_Mean), fold, mean), steps, always(float))


def _float_steps(of: Callable[[Any], float]) -> Steps:
    """Return the steps that add up floats exactly."""
    fold = Fold(
        initial=lambda: NO_SUM,
        add=lambda total, each: plus(total, float(of(each))),
        merge=merged,
        subtract=lambda total, each: plus(total, -float(of(each))),
    )
    return Steps(always(ExactSum), fold, itemgetter(0))
