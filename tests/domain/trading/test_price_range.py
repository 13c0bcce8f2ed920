from functools import reduce
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import Price, PriceRange

observed = st.floats(1e-9, 1e9).map(Price)


def range_of(some: list[Price]) -> PriceRange:
    return reduce(PriceRange.add, some, PriceRange())


def test_the_summary_has_lowest_highest_average_and_count() -> None:
    summary = range_of([Price(10.0), Price(12.5), Price(9.0)]).summary()
    assert (summary.min, summary.max, summary.average, summary.count) == (9.0, 12.5, 10.5, 3)


def test_a_first_price_is_the_lowest_and_the_highest() -> None:
    assert range_of([Price(3.5)]) == PriceRange(1, 3.5, 3.5, 3.5)


@pytest.mark.parametrize("price", [0.0, -1.0, True, float("nan"), float("inf"), "7"])
def test_a_price_is_a_number_above_zero(price: Any) -> None:
    with pytest.raises(ValueError, match=f"^price is {price!r}; it must be a number above 0$"):
        Price(price)


def test_the_average_of_no_prices_is_zero() -> None:
    assert PriceRange().average == 0.0


@given(st.lists(observed))
def test_count_sum_minimum_and_maximum_are_those_of_the_prices(some: list[Price]) -> None:
    prices = [each.price for each in some]
    found = range_of(some)
    assert (found.count, found.sum) == (len(prices), fsum(prices))
    assert (found.min, found.max) == (min(prices, default=0.0), max(prices, default=0.0))


@given(st.lists(observed), st.lists(observed), st.lists(observed))
def test_merging_runs_equals_adding_their_prices_one_by_one(some: list[Price], more: list[Price], most: list[Price]) -> None:
    parts = [range_of(run) for run in (some, more, most)]
    together = range_of(some + more + most)
    assert parts[0].merge(parts[1]).merge(parts[2]) == together == parts[0].merge(parts[1].merge(parts[2]))
    assert together.merge(PriceRange()) == together == PriceRange().merge(together)
