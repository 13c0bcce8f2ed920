"""Real daily prices of five companies from March 2000 to March 2013, from bokeh_sampledata; no network is needed."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from eddyline.domain.trading import DailyPrice

TICKERS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")
"""The companies with prices; those of FB start on 2012-05-18, those of GOOG on 2004-08-19."""


class UnknownTickerError(LookupError):
    """There are no prices of the company; the message names the companies with prices."""


class NoMarketDataError(RuntimeError):
    """The package with the prices is not installed; the message says how to install it."""


def daily_prices(tickers: Iterable[str] = TICKERS) -> list[DailyPrice]:
    """Return the daily prices of companies, in US dollars and unadjusted.

    Returns:
        The prices of each company by date, company by company in the order of `tickers`.

    Raises:
        UnknownTickerError: There are no prices of a company.
        NoMarketDataError: bokeh_sampledata is not installed.
    """
    requested = list(dict.fromkeys(tickers))
    for ticker in requested:
        if ticker not in TICKERS:
            raise UnknownTickerError(f"unknown ticker {ticker!r}; choose one of: {', '.join(TICKERS)}")
    try:
        from bokeh_sampledata import stocks  # noqa: PLC0415 - the import reads all prices, which takes 0.1 s
    except ModuleNotFoundError as missing:
        raise NoMarketDataError("the daily prices are not installed; run: pip install 'eddyline[simulate]'") from missing
    return [price for ticker in requested for price in _of_company(ticker, getattr(stocks, ticker))]


def _of_company(ticker: str, columns: Mapping[str, Any]) -> list[DailyPrice]:
    names = ("date", "open", "high", "low", "close", "volume")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [
        DailyPrice(ticker, date.fromisoformat(day), opened, high, low, closed, volume)
        for day, opened, high, low, closed, volume in rows
    ]
