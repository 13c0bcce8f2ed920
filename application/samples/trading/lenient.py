"""Trades and prices as senders wrote them, for flows with the setting `lenient`: nothing is checked, and what is missing is 0.

Their sums are rounded at each addition, so they are not merged.
"""

from collections.abc import Mapping
from typing import Any

from eddyline.domain.trading import AnyMover, Mover, PriceRangeSummary, SectorMover, TradeSummary, percent_change
from eddyline.domain.value import value


@value
class Trade:
    """A trade that may lack anything."""

    type: str | None = None
    ticker: str | None = None
    price: float = 0.0
    size: int = 0


@value
class Price:
    """A price that may be missing."""

    price: float = 0.0


@value
class TradeStats:
    """The statistics of trades; the type is that of the first, and the ticker its key."""

    type: str | None = None
    ticker: str | None = None
    count_trades: int = 0
    sum_price: float = 0.0
    min_price: float = 0.0

    @staticmethod
    def aggregate(ticker: str | None, stats: "TradeStats", trade: Trade) -> "TradeStats":
        """Return the statistics with one more trade, whose record has the key `ticker`."""
        price = trade.price
        if not stats.count_trades:
            return TradeStats(trade.type, ticker, 1, price, price)
        total, lowest = stats.sum_price + price, min(stats.min_price, price)
        return TradeStats(stats.type, stats.ticker, stats.count_trades + 1, total, lowest)

    def summary(self) -> TradeSummary:
        """Return the statistics to publish."""
        average = self.sum_price / self.count_trades
        return TradeSummary(self.type, self.ticker, self.count_trades, self.sum_price, self.min_price, average)


@value
class PriceRange:
    """The number of prices, their sum, the lowest and the highest."""

    count: int = 0
    sum: float = 0.0
    min: float = 0.0
    max: float = 0.0

    def add(self, observed: Price) -> "PriceRange":
        """Return this range with one more price."""
        price = observed.price
        if not self.count:
            return PriceRange(1, price, price, price)
        return PriceRange(self.count + 1, self.sum + price, min(self.min, price), max(self.max, price))

    def summary(self) -> PriceRangeSummary:
        """Return the range to publish."""
        return PriceRangeSummary(self.min, self.max, self.sum / self.count, self.count)


def mover(symbol: str, row: Mapping[str, Any]) -> AnyMover:
    """Return the mover of a share's row; a price that is no number counts as 0, and a sector that is no text is not known."""
    open_price, close, sector = _number(row, "open"), _number(row, "close"), row.get("sector")
    change = percent_change(open_price, close)
    return (
        SectorMover(symbol, sector, open_price, close, change)
        if isinstance(sector, str)
        else Mover(symbol, open_price, close, change)
    )


def _number(row: Mapping[str, Any], name: str) -> float:
    number = row.get(name)
    return float(number) if isinstance(number, int | float) else 0.0
