"""Trades, prices and daily moves of shares."""

from eddyline.domain.trading.daily_price import DailyPrice, NoSuchDayError, common_days
from eddyline.domain.trading.movers import AnyMover, DailyQuote, Mover, Movers, Rank, SectorMover, percent_change
from eddyline.domain.trading.price_range import Price, PriceRange, PriceRangeSummary
from eddyline.domain.trading.trade_stats import SIDES, Trade, TradeStats, TradeSummary
from eddyline.domain.trading.trading_day import DayOpenClose, date_of

__all__ = [
    "SIDES",
    "AnyMover",
    "DailyPrice",
    "DailyQuote",
    "DayOpenClose",
    "Mover",
    "Movers",
    "NoSuchDayError",
    "Price",
    "PriceRange",
    "PriceRangeSummary",
    "Rank",
    "SectorMover",
    "Trade",
    "TradeStats",
    "TradeSummary",
    "common_days",
    "date_of",
    "percent_change",
]
