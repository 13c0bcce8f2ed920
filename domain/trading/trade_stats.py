"""Trades on an exchange, and the statistics of a set of trades of one ticker."""

from math import inf

from eddyline.domain.exact_sum import merged, plus
from eddyline.domain.value import above_zero, at_least, not_empty, one_of, value

SIDES = ("ASK", "BID")
"""The sides of a market: those who offer shares ask a price, those who want shares bid one."""


@value
class Trade:
    """An offer or a deal: `size` shares at `price` each; `type` is one of SIDES."""

    type: str
    ticker: str
    price: float
    size: int

    def __post_init__(self) -> None:
        price, size = self.price, self.size
        if type(price) is float and 0 < price < inf and type(size) is int and size > 0 and self.ticker and self.type in SIDES:
            return  # one comparison, since trades are created for every event
        one_of(SIDES, type=self.type)
        not_empty(ticker=self.ticker)
        above_zero(price=self.price)
        at_least(1, size=self.size)

    @property
    def is_ask(self) -> bool:
        """Whether the price was asked, not bid."""
        return self.type == "ASK"


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
    """The number of trades, the sum of their prices and the lowest price, which is the best one that was asked.

    `TradeStats()` is the set without trades. With `merge` it is a monoid: adding trades one by one gives the same as adding
    any runs of them and merging the results in order. For that the sum is exact: `sum_rest` is what rounding `sum_price` has
    left.
    """

    type: str | None = None
    ticker: str | None = None
    count_trades: int = 0
    sum_price: float = 0.0
    min_price: float = 0.0
    sum_rest: tuple[float, ...] = ()

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
        total, rest = plus(stats.sum_price, stats.sum_rest, price)
        return TradeStats(stats.type, stats.ticker, count + 1, total, lowest, rest)

    def add(self, ticker: str | None, trade: Trade) -> "TradeStats":
        """Return these statistics with one more trade, whose record has the key `ticker`."""
        return TradeStats.aggregate(ticker, self, trade)

    def merge(self, other: "TradeStats") -> "TradeStats":
        """Return the statistics of both sets; type and ticker are those of `self` unless it has no trades."""
        if not other.count_trades:
            return self
        if not self.count_trades:
            return other
        total, rest = merged(self.sum_price, self.sum_rest, other.sum_price, other.sum_rest)
        count, lowest = self.count_trades + other.count_trades, min(self.min_price, other.min_price)
        return TradeStats(self.type, self.ticker, count, total, lowest, rest)

    @property
    def average(self) -> float:
        """The mean price, 0 without trades."""
        return self.sum_price / self.count_trades if self.count_trades else 0.0

    def summary(self) -> TradeSummary:
        """Return the statistics to publish."""
        return TradeSummary(self.type, self.ticker, self.count_trades, self.sum_price, self.min_price, self.average)
