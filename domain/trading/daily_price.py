"""The daily prices of shares, and which of their days to play."""

from collections.abc import Iterable
from datetime import date

from eddyline.domain.value import value


@value
class DailyPrice:
    """The prices at which a share opened and closed on a day, the highest and the lowest between, and the shares traded."""

    ticker: str
    date: date
    open: float
    high: float
    low: float
    close: float
    volume: int


class NoSuchDayError(LookupError):
    """There are fewer days than were asked for; the message names what there is and the cure."""


def common_days(prices: Iterable[DailyPrice], *, start: date | None = None, days: int | None = None) -> list[DailyPrice]:
    """The prices of the days on which every share has one, by date and ticker.

    Only days from `start` on, and of these the first `days`; without them, all. Raises NoSuchDayError when there are fewer.
    """
    priced = list(prices)
    tickers = {price.ticker for price in priced}
    by_date: dict[date, list[DailyPrice]] = {}
    for price in priced:
        by_date.setdefault(price.date, []).append(price)
    common = sorted(day for day, of_day in by_date.items() if {price.ticker for price in of_day} == tickers)
    chosen = [day for day in common if start is None or day >= start][:days]
    if len(chosen) < (1 if days is None else days):
        raise NoSuchDayError(_too_few(tickers, common, start, len(chosen), days))
    return [price for day in chosen for price in sorted(by_date[day], key=lambda price: price.ticker)]


def _too_few(tickers: set[str], common: list[date], start: date | None, found: int, days: int | None) -> str:
    shares = ", ".join(sorted(tickers)) or "no share"
    if not common:
        return f"there is no day on which all have a price: {shares}; ask for fewer shares"
    return (
        f"{found} of the {1 if days is None else days} days asked for have a price of every share ({shares})"
        f"{'' if start is None else f' from {start} on'}; there are {len(common)}, {common[0]} to {common[-1]}:"
        " ask for fewer days or start earlier"
    )
