"""Real daily prices of five companies, March 2000 to March 2013, from bokeh_sampledata; no network is needed."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from eddyline.domain.trading import DailyPrice

TICKERS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")
"""The companies whose prices there are; FB has them from 2012-05-18 on, GOOG from 2004-08-19 on."""


class UnknownTickerError(LookupError):
    """There are no prices of this company; the message names the choices."""


class NoMarketDataError(RuntimeError):
    """The prices are not installed; the message says what to install."""


def daily_prices(tickers: Iterable[str] = TICKERS) -> list[DailyPrice]:
    """The daily prices of companies, company by company in the order asked for, each by date; in US dollars, unadjusted.

    Raises UnknownTickerError for a company without prices, NoMarketDataError when bokeh_sampledata is missing.
    """
    asked = list(dict.fromkeys(tickers))
    for ticker in asked:
        if ticker not in TICKERS:
            raise UnknownTickerError(f"ticker {ticker!r} is unknown; there are prices of: {', '.join(TICKERS)}")
    try:
        from bokeh_sampledata import stocks  # noqa: PLC0415 - reading the prices costs 0.1 s, so only when they are asked for
    except ModuleNotFoundError as missing:
        raise NoMarketDataError(
            "the daily prices are not installed; install them with: pip install 'eddyline[simulate]'"
        ) from missing
    return [price for ticker in asked for price in _of_company(ticker, getattr(stocks, ticker))]


def _of_company(ticker: str, columns: Mapping[str, Any]) -> list[DailyPrice]:
    names = ("date", "open", "high", "low", "close", "volume")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [
        DailyPrice(ticker, date.fromisoformat(day), opened, high, low, closed, volume)
        for day, opened, high, low, closed, volume in rows
    ]
