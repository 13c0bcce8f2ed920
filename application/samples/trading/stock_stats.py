"""The flow stock-stats: the statistics of trades per ticker and hopping window."""

from eddyline import TopologyBuilder, hopping
from eddyline.domain.trading import Trade, TradeStats


def stock_stats(builder: TopologyBuilder, *, size_ms: int = 5_000, advance_ms: int = 1_000, grace_ms: int = 0) -> None:
    """Compute the number, lowest and average price of trades per ticker and hopping window.

    Input: `trades`, keyed by ticker. Output: `stock-stats`, the statistics so far of every window that a trade belongs to, for
    windows of `size_ms` that start every `advance_ms`. Late trades count for `grace_ms` after the end of their windows.
    """
    (
        builder.stream("trades", key=str, value=Trade)
        .filter(_is_trade, drop_reason="null-value")
        .group_by_key()
        .windowed_by(hopping(size_ms, advance=advance_ms, grace=grace_ms))
        .aggregate(TradeStats, TradeStats.aggregate, merge=TradeStats.merge, with_key=True, store="trade-aggregates")
        .to_stream()
        .map_values(TradeStats.summary)
        .to("stock-stats")
    )


def _is_trade(_ticker: str, trade: Trade | None) -> bool:
    return trade is not None
