"""Counts, sums and means."""

from __future__ import annotations

import operator
from decimal import Context, Decimal, Inexact, Overflow
from operator import itemgetter
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, Union, get_args, get_origin

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps, always, selected_type
from eddyline.application.topology.aggregations.exact_sum import NO_SUM, ExactSum, merged, plus
from eddyline.application.topology.aggregations.fold import COUNT, Fold
from eddyline.application.topology.callables import check_result
from eddyline.application.topology.types import bare_type

if TYPE_CHECKING:
    from collections.abc import Callable

_EXACT: Final = Context(prec=1_000, traps=[Overflow, Inexact])
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
    A sum of `Decimal` has all digits of its numbers, up to 1,000; one with more is an `ArithmeticError`.

    Args:
        of: Returns the number of a value.
        value: The type of the numbers, by default the annotated return type of `of`.

    Raises:
        TopologyError: If the type of the numbers is unknown.
    """
    found: Any = selected_type("sum", of, value)
    kinds = _kinds(found)
    get: Callable[[V], Any] = of
    if float in kinds:
        return Aggregation("sum", steps := _float_steps(get), steps, always(float))
    add: Callable[[Any, Any], Any] = _exactly(_EXACT.add) if kinds == [Decimal] else operator.add
    subtract: Callable[[Any, Any], Any] = _exactly(_EXACT.subtract) if kinds == [Decimal] else operator.sub
    summed = kinds[0] if found is bool or NoneType in get_args(found) else found
    fold = Fold(
        initial=kinds[0],
        add=lambda total, each: add(total, get(each)),
        merge=add,
        subtract=lambda total, each: subtract(total, get(each)),
    )
    return Aggregation("sum", steps := Steps(always(summed), fold), steps, always(summed))


def _exactly(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Decimal, Decimal], Decimal]:
    """Return an operation whose result is never rounded."""

    def exact(one: Decimal, other: Decimal) -> Decimal:
        try:
            return operation(one, other)
        except Inexact:
            msg = f"a sum has more than {_EXACT.prec:,} digits: {one:.3e} and {other:.3e}; leave out such numbers before sum(…)"
            raise ArithmeticError(msg) from None

    return exact


def _kinds(found: Any) -> list[Any]:
    """Return the types of the numbers of a type; truth values are added up as ints."""
    bare = bare_type(found)
    parts = get_args(bare) if get_origin(bare) in (Union, UnionType) else (bare,)
    return [int if part is bool else part for part in map(bare_type, parts) if part is not NoneType]


def avg(of: Callable[[V], float]) -> Aggregation[V, float]:
    """Return the aggregation to the mean of numbers; no row without numbers.

    Args:
        of: Returns the number of a value, an int or a float; they are added up exactly, as by `sum`. Anything else is a
            `TypeError` of the record.

    Raises:
        TopologyError: If it is a coroutine function or a generator function.
    """
    check_result("the function of avg(…)", of)

    def add(state: _Mean, each: V) -> _Mean:
        count, whole, floats = state
        number: Any = of(each)
        if isinstance(number, float):
            return count + 1, whole, plus(floats, number)
        if not isinstance(number, int):
            msg = f"avg(…) takes ints and floats, but got {number!r}; convert it with float(…), or divide sum(…) by count()"
            raise TypeError(msg)
        return count + 1, whole + number, floats

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
