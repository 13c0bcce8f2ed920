from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import Trade, TradeStats

cents = st.integers(-10_000, 1_000_000).map(lambda cent: cent / 4)
"""Prices whose sums are exact, so that the order of adding does not show."""
trades = st.builds(Trade, st.sampled_from(["ASK", "BID", None]), st.just("other"), cents, st.integers(0, 1000))


def folded(ticker: str | None, some: list[Trade], start: TradeStats | None = None) -> TradeStats:
    return reduce(lambda stats, trade: stats.add(ticker, trade), some, start or TradeStats())


def test_type_is_the_first_trades_and_ticker_the_key_it_was_sent_under() -> None:
    stats = folded("A", [Trade("ASK", "x", 2.0), Trade("BID", "y", 1.0)])
    assert (stats.type, stats.ticker) == ("ASK", "A")


def test_a_first_trade_without_a_type_leaves_none() -> None:
    assert folded("A", [Trade(price=2.0), Trade("BID", price=1.0)]).type is None


def test_a_trade_without_a_price_counts_with_zero() -> None:
    assert folded("B", [Trade(price=-0.1), Trade(price=0.2), Trade()]) == TradeStats(None, "B", 3, 0.1, -0.1)


def test_the_summary_adds_the_average() -> None:
    summary = folded("A", [Trade("ASK", "A", 10.0), Trade("ASK", "A", 8.0)]).summary()
    assert (summary.count_trades, summary.sum_price, summary.min_price, summary.avg_price) == (2, 18.0, 8.0, 9.0)
    assert (summary.type, summary.ticker) == ("ASK", "A")


def test_no_trades_have_an_average_of_zero() -> None:
    assert TradeStats().average == 0.0


@given(st.lists(trades))
def test_folding_counts_sums_and_finds_the_lowest(some: list[Trade]) -> None:
    stats = folded("A", some)
    prices = [trade.price for trade in some]
    assert (stats.count_trades, stats.sum_price, stats.min_price) == (len(prices), sum(prices), min(prices, default=0.0))


@given(st.lists(trades), st.lists(trades), st.lists(trades))
def test_merging_runs_gives_what_folding_them_one_by_one_gives(some: list[Trade], more: list[Trade], most: list[Trade]) -> None:
    parts = [folded("A", run) for run in (some, more, most)]
    assert parts[0].merge(parts[1]).merge(parts[2]) == folded("A", some + more + most)
    assert parts[0].merge(parts[1].merge(parts[2])) == folded("A", some + more + most)


@given(st.lists(trades))
def test_merging_with_no_trades_changes_nothing(some: list[Trade]) -> None:
    stats = folded("A", some)
    assert stats.merge(TradeStats()) == stats == TradeStats().merge(stats)


@given(st.lists(trades, min_size=1), trades)
def test_adding_leaves_the_statistics_as_they_were(some: list[Trade], another: Trade) -> None:
    stats = folded("A", some)
    stats.add("A", another)
    assert stats == folded("A", some)


@given(st.text(), st.lists(trades), trades)
def test_adding_with_the_key_first_is_the_same_as_adding(ticker: str, some: list[Trade], another: Trade) -> None:
    stats = folded(ticker, some)
    assert TradeStats.of_ticker(ticker, stats, another) == stats.add(ticker, another)
