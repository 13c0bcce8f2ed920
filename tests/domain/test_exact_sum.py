"""Exact sums of floats, compared with fractions."""

from fractions import Fraction
from functools import reduce
from math import inf, isnan, nan
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.exact_sum import merged, plus

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.lists(st.sampled_from([0.1, -0.1, 1e16, -1e16, 5e-324, 1e308, -1e308]) | FLOATS, max_size=12)

Parts: TypeAlias = tuple[float, tuple[float, ...]]


def _added(numbers: list[float]) -> Parts:
    start: Parts = (0.0, ())
    return reduce(lambda parts, number: plus(parts[0], parts[1], number), numbers, start)


def _rounded(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return inf if exact > 0 else -inf


@given(NUMBERS)
def test_a_sum_is_the_exact_one_rounded_and_its_rest_what_is_missing(numbers: list[float]) -> None:
    exact = sum(map(Fraction, numbers), Fraction())
    total, rest = _added(numbers)
    assert total == _rounded(exact)
    assert sum(map(Fraction, rest), Fraction()) == exact - (0 if total in (inf, -inf) else Fraction(total))


@given(NUMBERS, st.randoms(use_true_random=False), st.integers(0, 12))
def test_a_sum_depends_on_no_order_and_no_cut(numbers: list[float], random: object, cut: int) -> None:
    shuffled = sorted(numbers, key=lambda _number: random.random())  # type: ignore[attr-defined]
    expected = _added(numbers)
    assert _added(shuffled) == expected
    assert merged(*_added(shuffled[:cut]), *_added(shuffled[cut:])) == expected


@pytest.mark.parametrize(("numbers", "expected"), [([inf, 1.0, 2.0], inf), ([0.1, 0.2, -inf], -inf), ([1e308, 1e308, inf], inf)])
def test_an_infinite_number_makes_the_sum_infinite(numbers: list[float], expected: float) -> None:
    assert _added(numbers) == (expected, ())


@pytest.mark.parametrize("numbers", [[nan, 1.0], [0.1, 0.2, nan], [inf, -inf], [inf, nan, 1.0]])
def test_nan_and_both_infinities_make_the_sum_nan(numbers: list[float]) -> None:
    assert isnan(_added(numbers)[0])
