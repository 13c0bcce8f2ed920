"""The daily prices of shares as rows of a table that changes day by day."""

from collections.abc import Iterable, Iterator

from eddyline.domain.market import DailyPrice
from eddyline.domain.simulation.events import SimulatedEvent
from eddyline.domain.simulation.trades import session


def daily_rows(prices: Iterable[DailyPrice]) -> Iterator[SimulatedEvent]:
    """Each share's row at the close of each day, by date and ticker: where it opened and where it closed."""
    for price in sorted(prices, key=lambda price: (price.date, price.ticker)):
        _, closes = session(price.date)
        row = {"open": price.open, "close": price.close, "date": price.date.isoformat()}
        yield SimulatedEvent("daily-prices", price.ticker, row, closes)
