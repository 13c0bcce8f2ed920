"""The trading day of a share, built from the prices that were observed."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from eddyline.domain.trading.movers import Mover, percent_change
from eddyline.domain.trading.price_range import Price
from eddyline.domain.value import value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@value
class DayOpenClose:
    """The first and the last price of a day in order of arrival, None before the first. With `merge` it is a monoid."""

    open: float | None = None
    close: float | None = None

    def add(self, observed: Price) -> "DayOpenClose":
        """Return the day with one more price."""
        return DayOpenClose(observed.price if self.open is None else self.open, observed.price)

    def merge(self, later: "DayOpenClose") -> "DayOpenClose":
        """Return the day made of both parts; the prices of `later` arrived after those of `self`."""
        return DayOpenClose(later.open if self.open is None else self.open, self.close if later.close is None else later.close)

    def mover(self, symbol: str) -> Mover:
        """Return how the price of the share moved on this day."""
        open_price, close = self.open or 0.0, self.close or 0.0
        return Mover(symbol, open_price, close, percent_change(open_price, close))


def date_of(timestamp: int, zone: str = "UTC") -> str:
    """Return the date, such as 2024-01-31, of a time in ms since the epoch in a named time zone.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: The time zone does not exist.
    """
    return (_EPOCH + timedelta(milliseconds=timestamp)).astimezone(ZoneInfo(zone)).date().isoformat()
