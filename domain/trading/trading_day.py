"""A share's trading day, put together from the prices that were seen."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from eddyline.domain.trading.movers import Mover, change_percent
from eddyline.domain.trading.price_range import Price
from eddyline.domain.value import value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@value
class DayOpenClose:
    """The first and the last price of a day in the order of arrival; None before any. A monoid with `merge`."""

    open: float | None = None
    close: float | None = None

    def add(self, seen: Price) -> "DayOpenClose":
        """The day with one more price."""
        return DayOpenClose(seen.price if self.open is None else self.open, seen.price)

    def merge(self, later: "DayOpenClose") -> "DayOpenClose":
        """The day of both, of which `later` arrived after this one."""
        return DayOpenClose(later.open if self.open is None else self.open, self.close if later.close is None else later.close)

    def mover(self, symbol: str) -> Mover:
        """The mover that this day of a share shows."""
        open_price, close = self.open or 0.0, self.close or 0.0
        return Mover(symbol, open_price, close, change_percent(open_price, close))


def date_of(timestamp: int, zone: str = "UTC") -> str:
    """The date, as in 2024-01-31, at a time in milliseconds since the epoch in a named time zone.

    Raises zoneinfo.ZoneInfoNotFoundError for a zone that does not exist.
    """
    return (_EPOCH + timedelta(milliseconds=timestamp)).astimezone(ZoneInfo(zone)).date().isoformat()
