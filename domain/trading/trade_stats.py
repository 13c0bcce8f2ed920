"""Trades on an exchange, and what a set of trades of one ticker amounts to."""

from eddyline.domain.value import value


@value
class Trade:
    """One offer or deal: `size` shares at `price`. A trade that names no price counts with a price of 0."""

    type: str | None = None
    ticker: str | None = None
    price: float = 0.0
    size: int = 0


@value
class TradeSummary:
    """What is told about a set of trades: its statistics with the average price."""

    type: str | None
    ticker: str | None
    count_trades: int
    sum_price: float
    min_price: float
    avg_price: float


@value
class TradeStats:
    """How many trades, the sum of their prices and the lowest price; type and ticker are those of the first trade.

    `TradeStats()` is the set without trades. With `merge` it makes a monoid: folding trades one by one gives the same as
    folding any runs of them and merging the results in order (sums of fractions up to rounding).
    """

    type: str | None = None
    ticker: str | None = None
    count_trades: int = 0
    sum_price: float = 0.0
    min_price: float = 0.0

    @staticmethod
    def of_ticker(ticker: str | None, stats: "TradeStats", trade: Trade) -> "TradeStats":
        """The statistics with one more trade; `ticker` is the key it was sent under, whatever the trade itself says."""
        price = trade.price
        count = stats.count_trades
        if not count:
            return TradeStats(trade.type, ticker, 1, price, price)
        lowest = stats.min_price
        if price < lowest:  # noqa: PLR1730 - a call of min costs as much as the rest of this method
            lowest = price
        return TradeStats(stats.type, stats.ticker, count + 1, stats.sum_price + price, lowest)

    def add(self, ticker: str | None, trade: Trade) -> "TradeStats":
        """These statistics with one more trade, sent under the key `ticker`."""
        return TradeStats.of_ticker(ticker, self, trade)

    def merge(self, other: "TradeStats") -> "TradeStats":
        """The statistics of both sets; type and ticker are the earlier set's, which is `self` unless it has no trades."""
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
        """What is told about these trades."""
        return TradeSummary(self.type, self.ticker, self.count_trades, self.sum_price, self.min_price, self.average)
