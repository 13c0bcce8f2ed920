import re
from functools import reduce
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import Trade, TradeStats

prices = st.floats(1e-9, 1e9)
trades = st.builds(Trade, st.sampled_from(["ASK", "BID"]), st.just("other"), prices, st.integers(1, 1000))


def stats_of(ticker: str | None, some: list[Trade], start: TradeStats | None = None) -> TradeStats:
    return reduce(lambda stats, trade: stats.add(ticker, trade), some, start or TradeStats())


def test_type_is_that_of_the_first_trade_and_ticker_is_the_key() -> None:
    stats = stats_of("A", [Trade("ASK", "x", 2.0, 1), Trade("BID", "y", 1.0, 1)])
    assert (stats.type, stats.ticker) == ("ASK", "A")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (("SELL", "A", 1.0, 1), "type is 'SELL'; it must be one of: ASK, BID"),
        ((None, "A", 1.0, 1), "type is None; it must be one of: ASK, BID"),
        (("ASK", "", 1.0, 1), "ticker is ''; it must be a text that is not empty"),
        (("ASK", "A", 0.0, 1), "price is 0.0; it must be a number above 0"),
        (("ASK", "A", True, 1), "price is True; it must be a number above 0"),
        (("ASK", "A", float("nan"), 1), "price is nan; it must be a number above 0"),
        (("ASK", "A", float("inf"), 1), "price is inf; it must be a number above 0"),
        (("ASK", "A", 1.0, 0), "size is 0; it must be a whole number of at least 1"),
        (("ASK", "A", 1.0, True), "size is True; it must be a whole number of at least 1"),
        (("ASK", "A", 1.0, 1.5), "size is 1.5; it must be a whole number of at least 1"),
    ],
)
def test_a_trade_that_cannot_be_true_cannot_be_created(fields: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        Trade(*fields)


def test_a_price_may_be_a_whole_number() -> None:
    assert Trade("BID", "A", 2, 1).price == 2


def test_only_an_ask_is_an_ask() -> None:
    assert [Trade(side, "A", 1.0, 1).is_ask for side in ("ASK", "BID")] == [True, False]


def test_the_summary_adds_the_average() -> None:
    summary = stats_of("A", [Trade("ASK", "A", 10.0, 1), Trade("ASK", "A", 8.0, 1)]).summary()
    assert (summary.count_trades, summary.sum_price, summary.min_price, summary.avg_price) == (2, 18.0, 8.0, 9.0)
    assert (summary.type, summary.ticker) == ("ASK", "A")


def test_the_average_of_no_trades_is_zero() -> None:
    assert TradeStats().average == 0.0


@given(st.lists(trades))
def test_trades_are_counted_and_their_sum_and_minimum_computed(some: list[Trade]) -> None:
    stats = stats_of("A", some)
    paid = [trade.price for trade in some]
    assert (stats.count_trades, stats.sum_price, stats.min_price) == (len(paid), fsum(paid), min(paid, default=0.0))


@given(st.lists(trades), st.lists(trades), st.lists(trades))
def test_merging_runs_equals_adding_their_trades_one_by_one(some: list[Trade], more: list[Trade], most: list[Trade]) -> None:
    parts = [stats_of("A", run) for run in (some, more, most)]
    assert parts[0].merge(parts[1]).merge(parts[2]) == stats_of("A", some + more + most)
    assert parts[0].merge(parts[1].merge(parts[2])) == stats_of("A", some + more + most)


@given(st.lists(trades))
def test_merging_with_no_trades_changes_nothing(some: list[Trade]) -> None:
    stats = stats_of("A", some)
    assert stats.merge(TradeStats()) == stats == TradeStats().merge(stats)


@given(st.lists(trades, min_size=1), trades)
def test_adding_a_trade_leaves_the_original_statistics_unchanged(some: list[Trade], another: Trade) -> None:
    stats = stats_of("A", some)
    stats.add("A", another)
    assert stats == stats_of("A", some)


@given(st.text(), st.lists(trades), trades)
def test_aggregate_is_add_with_the_key_first(ticker: str, some: list[Trade], another: Trade) -> None:
    stats = stats_of(ticker, some)
    assert TradeStats.aggregate(ticker, stats, another) == stats.add(ticker, another)
