"""The daily prices of shares, and the selection of trading days."""

from collections.abc import Iterable
from datetime import date

from eddyline.domain.value import above_zero, at_least, not_empty, value


@value
class DailyPrice:
    """The open, high, low and close of a share on one day, and the number of shares that were traded."""

    ticker: str
    date: date
    open: float
    high: float
    low: float
    close: float
    volume: int

    def __post_init__(self) -> None:
        not_empty(ticker=self.ticker)
        above_zero(open=self.open, high=self.high, low=self.low, close=self.close)
        at_least(0, volume=self.volume)
        for name, price in (("open", self.open), ("close", self.close)):
            if not self.low <= price <= self.high:
                raise ValueError(f"{name} is {price}; it must be between the low of {self.low} and the high of {self.high}")


class NoSuchDayError(LookupError):
    """There are fewer trading days than were requested; the message names those that exist, and the fix."""


def common_days(prices: Iterable[DailyPrice], *, start: date | None = None, days: int | None = None) -> list[DailyPrice]:
    """Select the days on which every share has a price.

    Args:
        prices: The daily prices of the shares, in any order.
        start: The first day to select; without it, the first day on which every share has a price.
        days: The number of days to select; without it, all of them, at least one.

    Returns:
        The prices of the selected days, by date and ticker.

    Raises:
        NoSuchDayError: There are fewer days than requested.
    """
    known = list(prices)
    tickers = {price.ticker for price in known}
    by_date: dict[date, list[DailyPrice]] = {}
    for price in known:
        by_date.setdefault(price.date, []).append(price)
    common = sorted(day for day, of_day in by_date.items() if {price.ticker for price in of_day} == tickers)
    selected = [day for day in common if start is None or day >= start][:days]
    requested = 1 if days is None else days
    if len(selected) < requested:
        raise NoSuchDayError(_too_few(tickers, common, start, len(selected), requested))
    return [price for day in selected for price in sorted(by_date[day], key=lambda price: price.ticker)]


def _too_few(tickers: set[str], common: list[date], start: date | None, found: int, requested: int) -> str:
    shares = ", ".join(sorted(tickers)) or "no share"
    if not common:
        return f"there is no day on which every share has a price ({shares}); choose fewer shares"
    return (
        f"only {found} of {requested} requested days have a price of every share ({shares})"
        f"{'' if start is None else f' from {start} on'}; there are {len(common)} from {common[0]} to {common[-1]}:"
        " request fewer days or an earlier start"
    )
