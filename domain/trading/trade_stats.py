"""Trades on an exchange, and the statistics of a set of trades of one ticker."""

from eddyline.domain.value import value


@value
class Trade:
    """An offer or a deal: `size` shares at `price` each. A trade without a price counts with a price of 0."""

    type: str | None = None
    ticker: str | None = None
    price: float = 0.0
    size: int = 0


@value
class TradeSummary:
    """The statistics of a set of trades as they are published, with the average price."""

    type: str | None
    ticker: str | None
    count_trades: int
    sum_price: float
    min_price: float
    avg_price: float


@value
class TradeStats:
    """The number of trades, the sum of their prices and the lowest price; type and ticker are those of the first trade.

    `TradeStats()` is the set without trades. With `merge` it is a monoid: adding trades one by one gives the same as adding
    any runs of them and merging the results in order (sums of fractions up to rounding).
    """

    type: str | None = None
    ticker: str | None = None
    count_trades: int = 0
    sum_price: float = 0.0
    min_price: float = 0.0

    @staticmethod
    def aggregate(ticker: str | None, stats: "TradeStats", trade: Trade) -> "TradeStats":
        """Return the statistics with one more trade. `ticker` is the key of the record, whatever the trade itself says."""
        price = trade.price
        count = stats.count_trades
        if not count:
            return TradeStats(trade.type, ticker, 1, price, price)
        lowest = stats.min_price
        if price < lowest:  # noqa: PLR1730 - a call of min costs as much as the rest of this method
            lowest = price
        return TradeStats(stats.type, stats.ticker, count + 1, stats.sum_price + price, lowest)

    def add(self, ticker: str | None, trade: Trade) -> "TradeStats":
        """Return these statistics with one more trade, whose record has the key `ticker`."""
        return TradeStats.aggregate(ticker, self, trade)

    def merge(self, other: "TradeStats") -> "TradeStats":
        """Return the statistics of both sets; type and ticker are those of `self` unless it has no trades."""
        if not other.count_trades:
            return self
        if not self.count_trades:
            return other
        return TradeStats(
            self.type,
            self.ticker,
            self.count_trades + other.count_trades,
            self.sum_price + other.sum_price,
            min(self.min_price, other.min_price),
        )

    @property
    def average(self) -> float:
        """The mean price, 0 without trades."""
        return self.sum_price / self.count_trades if self.count_trades else 0.0

    def summary(self) -> TradeSummary:
        """Return the statistics to publish."""
        return TradeSummary(self.type, self.ticker, self.count_trades, self.sum_price, self.min_price, self.average)
