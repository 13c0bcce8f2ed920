"""Percentiles, by a sketch whose size does not grow with the number of values."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, isfinite, log, log1p
from sys import float_info
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps, always
from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.callables import check_result
from eddyline.application.topology.errors import TopologyError

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")

_Sketch: TypeAlias = tuple[float, dict[int, int]]
"""The relative error, and how many numbers each bucket has; the numbers of buckets are in the order of their numbers."""

_LEAST_ERROR, _GREATEST_ERROR = 0.0001, 0.5
_TIGHTER = 1 - 1e-9
"""Leaves a part of the error for the rounding of logarithms."""


def percentile(of: Callable[[V], float], fraction: float, *, error: float = 0.01) -> Aggregation[V, float]:
    """Return the aggregation to a percentile of numbers, as PERCENTILE_DISC in SQL, with an error; no row without numbers.

    The percentile is the least number that at least this fraction of the numbers does not exceed: 0 is the least one, 0.5 the
    median, 1 the greatest one. The result differs from it by at most `error` times the percentile. It does not depend on the
    order of the numbers, nor on where batches end, and rows of a table are subtracted exactly.

    The state is a DDSketch without a limit of its size (Masson, Rim, Lee: DDSketch, PVLDB 12, 2019): how many numbers each bucket
    has, where a bucket reaches from one number to another that is about 1 + 2 · `error` times as great. With an error of 1 %,
    numbers from 1 to 1,000,000 need at most 692 buckets. Numbers nearer to 0 than 2.3e-308 count as 0.

    Args:
        of: Returns the number of a value, an int or a float; one that is not finite, such as nan, is an error of its record.
        fraction: The fraction, from 0 to 1, such as 0.99 for the 99th percentile.
        error: The relative error, from 0.0001 to 0.5.

    Raises:
        TopologyError: If the fraction or the error is out of range, or `of` is a coroutine function or a generator function.
    """
    check_result("the function of percentile(…)", of)
    _check_between("fraction=", fraction, 0, 1, "0.99 for the 99th percentile")
    _check_between("error=", error, _LEAST_ERROR, _GREATEST_ERROR, "0.01 for 1 %")
    share, buckets = Fraction(str(fraction)), _Buckets(error)

    def change(sketch: _Sketch, each: V, by: int) -> _Sketch:
        counts = dict(_counts(sketch, error))
        bucket = buckets.of(of(each))
        counts[bucket] = counts.get(bucket, 0) + by
        if not counts[bucket]:
            del counts[bucket]
        return error, counts

    def merge(one: _Sketch, other: _Sketch) -> _Sketch:
        counts = dict(_counts(one, error))
        for bucket, count in _counts(other, error).items():
            counts[bucket] = counts.get(bucket, 0) + count
        return error, counts

    def result(sketch: _Sketch) -> float | None:
        counts = _counts(sketch, error)
        before = max(1, ceil(share * sum(counts.values())))
        for bucket in sorted(counts):
            before -= counts[bucket]
            if before <= 0:
                return buckets.middle(bucket)
        return None

    fold = Fold(
        initial=lambda: (error, {}),
        add=lambda sketch, each: change(sketch, each, 1),
        merge=merge,
        subtract=lambda sketch, each: change(sketch, each, -1),
    )
    return Aggregation("percentile", steps := Steps(always(_Sketch), fold, result), steps, always(float))


class _Buckets:
    """The buckets for a relative error: those of positive numbers above 0, those of negative ones below, and 0 for zero."""

    __slots__ = ("_growth", "_offset", "_to_middle")

    def __init__(self, error: float) -> None:
        error *= _TIGHTER
        self._growth = log1p(error) - log1p(-error)
        self._offset = 1 - ceil(log(float_info.min) / self._growth)
        self._to_middle = log1p(-error)

    def of(self, number: float) -> int:
        """Return the bucket of a number.

        Raises:
            ValueError: It is no finite number.
        """
        try:
            found = float(number)
        except (OverflowError, TypeError, ValueError):
            found = float("nan")
        if not isfinite(found):
            shown = repr(number)
            msg = f"percentile(…) takes finite numbers, but got {shown if len(shown) < 100 else f'{shown[:100]}…'}"  # noqa: PLR2004
            raise ValueError(msg)
        if abs(found) < float_info.min:
            return 0
        bucket = ceil(log(abs(found)) / self._growth) + self._offset
        return bucket if found > 0 else -bucket

    def middle(self, bucket: int) -> float:
        """Return the number that differs from both ends of a bucket by the relative error."""
        if not bucket:
            return 0.0
        exponent = (abs(bucket) - self._offset) * self._growth + self._to_middle
        found = float_info.max if exponent > log(float_info.max) else exp(exponent)
        return found if bucket > 0 else -found


def _counts(sketch: _Sketch, error: float) -> dict[int, int]:
    kept, counts = sketch
    if kept != error:
        msg = (
            f"the state of percentile(…) was kept with error={kept}, which is {error} now; reset the flow or run another version"
        )
        raise ValueError(msg)
    return counts


def _check_between(name: str, given: object, least: float, most: float, example: str) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        msg = f"{name} of percentile(…) is {given!r}; pass a number from {least} to {most}, such as {example}"
        raise TopologyError(msg)
