"""Calendar days of a time zone as windows, 23 or 25 hours long where daylight saving time begins or ends."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.windows.window import Duration, EnumerableWindows, Window, milliseconds

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_MAX_CACHED_DAYS: Final = 4096
_END_OF_CALENDAR: Final = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // _MILLISECOND


@dataclass(frozen=True, slots=True)
class CalendarDays(EnumerableWindows):
    """Windows from each midnight of `zone` to the next; a day without midnight starts where the clocks skip it.

    The day of the epoch starts at the epoch, since no window starts earlier.
    """

    zone: ZoneInfo
    grace_ms: int
    _windows: dict[int, tuple[Window, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def windows_for(self, timestamp: int) -> tuple[Window, ...]:
        """Return the one day that contains the timestamp; none from 9999-12-30 on, where the calendar ends."""
        cached = self._windows.get(timestamp // _HOUR_MS)
        if cached is not None:
            start, end = cached[0]
            if start <= timestamp < end:
                return cached
        if timestamp >= _END_OF_CALENDAR:
            return ()
        if len(self._windows) >= _MAX_CACHED_DAYS:
            self._windows.clear()
        found = self._windows[timestamp // _HOUR_MS] = (self._day_of(timestamp),)
        return found

    def window_at(self, start: int) -> Window:
        """Return the day that starts at `start`."""
        return self.windows_for(start)[0]

    @property
    def longest_ms(self) -> int:
        """A day of 25 hours."""
        return _DAY_MS + _HOUR_MS

    @property
    def retention_ms(self) -> int:
        """A day plus the grace period; plus an hour if days can be 25 hours long, so that no open window expires."""
        has_long_days = self.zone.utcoffset(None) is None
        return _DAY_MS + self.grace_ms + (_HOUR_MS if has_long_days and self.grace_ms else 0)

    def _day_of(self, timestamp: int) -> Window:
        day = (_EPOCH + timestamp * _MILLISECOND).astimezone(self.zone).date()
        if timestamp >= self._start_of(day + timedelta(days=1)):
            day += timedelta(days=1)
        return Window(max(0, self._start_of(day)), self._start_of(day + timedelta(days=1)))

    def _start_of(self, day: date) -> int:
        """Return the first midnight of a day, or the moment at which the clocks skip it.

        In every zone since 1970, clocks that skip midnight are put forward exactly at midnight, so both are the same moment.
        """
        return (datetime.combine(day, time.min, tzinfo=self.zone) - _EPOCH) // _MILLISECOND


def calendar_days(zone: str, *, grace: Duration) -> CalendarDays:
    """Return days from midnight to midnight in a time zone.

    Args:
        zone: The name of the time zone in the IANA database, such as `Europe/Berlin`.
        grace: How long after its end a day still accepts late records, measured in stream time; 0 accepts none.

    Raises:
        TopologyError: If the time zone is unknown (the message has the closest names) or the grace period is negative.
    """
    try:
        found = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        near = get_close_matches(zone, available_timezones(), n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        msg = f"unknown time zone '{zone}'; {hint}pass a name from the IANA time zone database, such as 'Europe/Berlin'"
        raise TopologyError(msg) from unknown
    return CalendarDays(found, milliseconds(grace, "the grace period of a calendar day"))
