"""Sums of floats that are exact, so that they do not depend on the order in which numbers are added and sums are merged.

A sum has two parts: the sum rounded to the nearest float, and what rounding has left, which is rounded again, and so on, down to
nothing. Equal sums have equal parts. The rounded sum of numbers that add up to too much for a float is infinite, and the rest is
the whole sum.
"""

from fractions import Fraction
from math import inf, isfinite
from sys import float_info


def plus(total: float, rest: tuple[float, ...], number: float) -> tuple[float, tuple[float, ...]]:
    """Return the parts of the sum of `number` and the sum with the parts `total` and `rest`.

    The sum is nan with a nan, or with both infinities.
    """
    rounded = total + number
    taken = rounded - total
    left = (total - (rounded - taken)) + (number - taken)
    if rest:
        second = rest[0]
        lower = second + left
        taken = lower - second
        if len(rest) > 1 or (second - (lower - taken)) + (left - taken):
            return _parts((*_floats(total, rest), number))
        upper = rounded
        rounded = upper + lower
        taken = rounded - upper
        left = (upper - (rounded - taken)) + (lower - taken)
    if not left:
        return rounded, ()
    return (rounded, (left,)) if left - left == 0.0 else _parts((*_floats(total, rest), number))


def merged(
    total: float, rest: tuple[float, ...], other_total: float, other_rest: tuple[float, ...]
) -> tuple[float, tuple[float, ...]]:
    """Return the parts of the sum of two sums."""
    for number in _floats(other_total, other_rest):
        total, rest = plus(total, rest, number)
    return total, rest


def _floats(total: float, rest: tuple[float, ...]) -> tuple[float, ...]:
    return (total, *rest) if isfinite(total) or not rest else rest


def _parts(numbers: tuple[float, ...]) -> tuple[float, tuple[float, ...]]:
    unlimited = [number for number in numbers if not isfinite(number)]
    if unlimited:
        return sum(unlimited), ()
    left, parts, largest = sum(map(Fraction, numbers), Fraction()), list[float](), Fraction(float_info.max)
    try:
        rounded = float(left)
    except OverflowError:
        rounded = inf if left > 0 else -inf
    while left:
        parts.append(float(max(-largest, min(largest, left))))
        left -= Fraction(parts[-1])
    return rounded, tuple(parts[1:] if isfinite(rounded) else parts)
