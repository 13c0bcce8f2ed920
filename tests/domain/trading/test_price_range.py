from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import Price, PriceRange

quarters = st.integers(-10_000, 1_000_000).map(lambda quarter: Price(quarter / 4))
"""Prices whose sums are exact, so that the order of adding does not show."""


def ranged(some: list[Price]) -> PriceRange:
    return reduce(PriceRange.add, some, PriceRange())


def test_the_summary_tells_lowest_highest_average_and_count() -> None:
    summary = ranged([Price(10.0), Price(12.5), Price(9.0)]).summary()
    assert (summary.min, summary.max, summary.average, summary.count) == (9.0, 12.5, 10.5, 3)


def test_a_first_price_below_zero_is_the_highest_too() -> None:
    assert ranged([Price(-3.5)]) == PriceRange(1, -3.5, -3.5, -3.5)


def test_a_missing_price_counts_as_zero() -> None:
    assert ranged([Price(7.0), Price()]) == PriceRange(2, 7.0, 0.0, 7.0)


def test_no_prices_have_an_average_of_zero() -> None:
    assert PriceRange().average == 0.0


@given(st.lists(quarters))
def test_folding_finds_the_range(some: list[Price]) -> None:
    prices = [seen.price for seen in some]
    expected = PriceRange(len(prices), sum(prices), min(prices, default=0.0), max(prices, default=0.0))
    assert ranged(some) == expected


@given(st.lists(quarters), st.lists(quarters), st.lists(quarters))
def test_merging_runs_gives_what_folding_them_one_by_one_gives(some: list[Price], more: list[Price], most: list[Price]) -> None:
    parts = [ranged(run) for run in (some, more, most)]
    together = ranged(some + more + most)
    assert parts[0].merge(parts[1]).merge(parts[2]) == together == parts[0].merge(parts[1].merge(parts[2]))
    assert together.merge(PriceRange()) == together == PriceRange().merge(together)
