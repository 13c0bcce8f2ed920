"""Exact sums of floats, compared with fractions."""

from fractions import Fraction
from functools import reduce
from math import fsum, inf, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.topology.aggregations.exact_sum import NO_SUM, ExactSum, exact_sum, merged, plus

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.lists(st.sampled_from([0.1, -0.1, 1e16, -1e16, 5e-324, 1e308, -1e308]) | FLOATS, max_size=12)


def _added(numbers: list[float]) -> ExactSum:
    return reduce(plus, numbers, NO_SUM)


def _rounded(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return inf if exact > 0 else -inf


@given(NUMBERS)
def test_a_sum_is_the_exact_one_rounded(numbers: list[float]) -> None:
    assert _added(numbers)[0] == _rounded(sum(map(Fraction, numbers), Fraction(0)))


@given(NUMBERS, st.randoms(use_true_random=False), st.integers(0, 12))
def test_a_sum_depends_on_no_order_and_no_cut(numbers: list[float], random: object, cut: int) -> None:
    shuffled = sorted(numbers, key=lambda _number: random.random())  # type: ignore[attr-defined]
    expected = _added(numbers)
    assert _added(shuffled) == expected == exact_sum(tuple(numbers))
    assert merged(_added(shuffled[:cut]), _added(shuffled[cut:])) == expected


@given(NUMBERS, NUMBERS)
def test_what_is_subtracted_leaves_what_was_there(numbers: list[float], others: list[float]) -> None:
    assert reduce(plus, [-number for number in others], _added([*numbers, *others])) == _added(numbers)


def test_sums_of_prices_have_one_rest() -> None:
    prices = [cents / 100 for cents in range(1, 1000)]
    total, rest = _added(prices)
    assert total == fsum(prices) != sum(prices)
    assert len(rest) == 1


@pytest.mark.parametrize(("numbers", "expected"), [([inf, 1.0, 2.0], inf), ([0.1, 0.2, -inf], -inf), ([1e308, 1e308, inf], inf)])
def test_an_infinite_number_makes_the_sum_infinite(numbers: list[float], expected: float) -> None:
    assert _added(numbers) == (expected, ()) == exact_sum(tuple(numbers))


@pytest.mark.parametrize("numbers", [[nan, 1.0], [0.1, 0.2, nan], [inf, -inf], [inf, nan, 1.0]])
def test_nan_and_both_infinities_make_the_sum_nan(numbers: list[float]) -> None:
    assert isnan(_added(numbers)[0])
    assert isnan(exact_sum(tuple(numbers))[0])


def test_a_sum_that_was_too_large_is_a_number_again() -> None:
    assert _added([1e308, 1e308])[0] == inf
    assert _added([1e308, 1e308, -1e308]) == (1e308, ())
