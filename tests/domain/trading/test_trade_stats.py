from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import Trade, TradeStats

cents = st.integers(-10_000, 1_000_000).map(lambda cent: cent / 4)
"""Prices whose sums are exact, so that the order of addition makes no difference."""
trades = st.builds(Trade, st.sampled_from(["ASK", "BID", None]), st.just("other"), cents, st.integers(0, 1000))


def stats_of(ticker: str | None, some: list[Trade], start: TradeStats | None = None) -> TradeStats:
    return reduce(lambda stats, trade: stats.add(ticker, trade), some, start or TradeStats())


def test_type_is_that_of_the_first_trade_and_ticker_is_the_key() -> None:
    stats = stats_of("A", [Trade("ASK", "x", 2.0), Trade("BID", "y", 1.0)])
    assert (stats.type, stats.ticker) == ("ASK", "A")


def test_type_is_none_when_the_first_trade_has_none() -> None:
    assert stats_of("A", [Trade(price=2.0), Trade("BID", price=1.0)]).type is None


def test_a_trade_without_a_price_counts_with_zero() -> None:
    assert stats_of("B", [Trade(price=-0.1), Trade(price=0.2), Trade()]) == TradeStats(None, "B", 3, 0.1, -0.1)


def test_the_summary_adds_the_average() -> None:
    summary = stats_of("A", [Trade("ASK", "A", 10.0), Trade("ASK", "A", 8.0)]).summary()
    assert (summary.count_trades, summary.sum_price, summary.min_price, summary.avg_price) == (2, 18.0, 8.0, 9.0)
    assert (summary.type, summary.ticker) == ("ASK", "A")


def test_the_average_of_no_trades_is_zero() -> None:
    assert TradeStats().average == 0.0


@given(st.lists(trades))
def test_trades_are_counted_and_their_sum_and_minimum_computed(some: list[Trade]) -> None:
    stats = stats_of("A", some)
    prices = [trade.price for trade in some]
    assert (stats.count_trades, stats.sum_price, stats.min_price) == (len(prices), sum(prices), min(prices, default=0.0))


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
