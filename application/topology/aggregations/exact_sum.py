"""Sums of floats that are exact, so that they do not depend on the order in which numbers are added and sums are merged."""

from fractions import Fraction
from math import copysign, fsum, inf, isfinite, isinf, nan
from sys import float_info
from typing import Final, TypeAlias

ExactSum: TypeAlias = tuple[float, tuple[float, ...]]
"""A sum, rounded to the nearest float, and what rounding has left: that is rounded again, and so on, down to nothing.

Equal sums are equal tuples. If a sum is too large for a float, the first part is infinite, and the others are the whole sum.
"""

NO_SUM: Final[ExactSum] = (0.0, ())


def plus(before: ExactSum, number: float) -> ExactSum:
    """Return the exact sum of a sum and a number: what rounding an addition takes is a float, and seldom two."""
    first, rest = before
    total = first + number
    taken = total - first
    left = (first - (total - taken)) + (number - taken)
    if rest:
        second = rest[0]
        lower = second + left
        taken = lower - second
        if len(rest) > 1 or (second - (lower - taken)) + (left - taken):
            return exact_sum((*_parts(before), number))
        upper = total
        total = upper + lower
        taken = total - upper
        left = (upper - (total - taken)) + (lower - taken)
    if not left:
        return total, ()
    return (total, (left,)) if left - left == 0.0 else exact_sum((*_parts(before), number))


def merged(one: ExactSum, other: ExactSum) -> ExactSum:
    """Return the exact sum of two sums."""
    return plus(one, other[0]) if not other[1] else exact_sum((*_parts(one), *_parts(other)))


def exact_sum(numbers: tuple[float, ...]) -> ExactSum:
    """Return the exact sum of numbers; it is nan with a nan, or with both infinities."""
    left, parts = list(numbers), list[float]()
    try:
        while rounded := fsum(left):
            if not isfinite(rounded):
                return rounded, ()
            parts.append(rounded)
            left.append(-rounded)
    except ValueError:  # both infinities
        return nan, ()
    except OverflowError:
        infinite = [number for number in numbers if not isfinite(number)]
        if infinite:
            return sum(infinite), ()
        parts = _large_parts(sum(map(Fraction, numbers), Fraction()))
        if len(parts) > 1 and abs(parts[0]) == float_info.max and _is_too_large(parts):
            return copysign(inf, parts[0]), tuple(parts)
    return (parts[0], tuple(parts[1:])) if parts else NO_SUM


def _parts(one: ExactSum) -> tuple[float, ...]:
    total, rest = one
    return rest if rest and isinf(total) else (total, *rest)


def _large_parts(left: Fraction) -> list[float]:
    parts: list[float] = []
    while left:
        try:
            rounded = float(left)
        except OverflowError:
            rounded = float_info.max if left > 0 else -float_info.max
        parts.append(rounded)
        left -= Fraction(rounded)
    return parts


def _is_too_large(parts: list[float]) -> bool:
    try:
        fsum(parts)
    except OverflowError:
        return True
    return False
