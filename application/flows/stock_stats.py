"""Statistics of trades: how many, their lowest and their average price, a ticker and window of time."""

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.windows import hopping
from eddyline.domain.trading import Trade, TradeStats


def stock_stats(builder: TopologyBuilder, *, size_ms: int = 5_000, advance_ms: int = 1_000, grace_ms: int = 0) -> None:
    """Trades in, keyed by ticker; out, for every ticker and window that a trade changed, the statistics of its trades so far."""
    (
        builder.stream("trades", key=str, value=Trade)
        .filter(_is_trade)
        .group_by_key()
        .windowed_by(hopping(size_ms, advance=advance_ms, grace=grace_ms))
        .aggregate(TradeStats, TradeStats.of_ticker, merge=TradeStats.merge, with_key=True, store="trade-aggregates")
        .to_stream()
        .map_values(TradeStats.summary)
        .to("stock-stats")
    )


def _is_trade(_ticker: str, trade: Trade | None) -> bool:
    return trade is not None
