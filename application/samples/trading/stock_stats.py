"""The flow stock-stats: the statistics of what is asked for shares, per ticker and hopping window."""

from typing import Any

from eddyline import Stream, TopologyBuilder, hopping
from eddyline.application.samples.trading import lenient as written
from eddyline.domain.trading import Trade, TradeStats


def stock_stats(
    builder: TopologyBuilder, *, size_ms: int = 5_000, advance_ms: int = 1_000, grace_ms: int = 0, lenient: bool = False
) -> None:
    """Compute the number, lowest and average price of the asks per ticker and hopping window.

    Input: `trades`, keyed by ticker. Output: `stock-stats`, the statistics so far of every window that a trade belongs to, for
    windows of `size_ms` that start every `advance_ms`. The lowest price is the best ask: bids do not count, nor does a trade
    that is reported for another ticker than its own. Late trades count for `grace_ms` after the end of their windows.

    With `lenient`, every trade counts as it was written, also a bid, and one that lacks its price, with 0; and the sum of the
    prices is rounded at each addition, where it is exact otherwise.
    """
    stats: Any = written.TradeStats if lenient else TradeStats
    merge = None if lenient else TradeStats.merge
    trades: Stream[str, Any] = builder.stream("trades", key=str, value=written.Trade if lenient else Trade)
    trades = trades.filter(_is_trade, drop_reason="null-value")
    if not lenient:
        trades = trades.filter(_is_of_ticker, drop_reason="other-ticker").filter(_is_ask, drop_reason="not-an-ask")
    (
        trades.group_by_key()
        .windowed_by(hopping(size_ms, advance=advance_ms, grace=grace_ms))
        .aggregate(stats, stats.aggregate, merge=merge, with_key=True, store="trade-aggregates")
        .to_stream()
        .map_values(stats.summary)
        .to("stock-stats")
    )


def _is_trade(_ticker: str, trade: Trade | written.Trade | None) -> bool:
    return trade is not None


def _is_of_ticker(ticker: str | None, trade: Trade) -> bool:
    return ticker is None or trade.ticker == ticker  # a missing key is counted as such


def _is_ask(_ticker: str, trade: Trade) -> bool:
    return trade.is_ask
