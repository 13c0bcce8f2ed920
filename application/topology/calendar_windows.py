"""Days of the calendar of a time zone: 23 or 25 hours long where clocks change, as long as others elsewhere."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.windows import Duration, EnumerableWindows, Window, milliseconds

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_REMEMBERED_DAYS = 4096


@dataclass(frozen=True, slots=True)
class CalendarDays(EnumerableWindows):
    """Windows from one midnight of `zone` to the next; a day whose midnight clocks skip begins when they go on.

    The day of the epoch begins at the epoch, since no window begins before it.
    """

    zone: ZoneInfo
    grace_ms: int
    _windows: dict[int, tuple[Window, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def windows_for(self, timestamp: int) -> tuple[Window, ...]:
        """The day of this moment, alone."""
        remembered = self._windows.get(timestamp // _HOUR_MS)
        if remembered is not None:
            start, end = remembered[0]
            if start <= timestamp < end:
                return remembered
        if len(self._windows) >= _REMEMBERED_DAYS:
            self._windows.clear()
        found = self._windows[timestamp // _HOUR_MS] = (self._day_of(timestamp),)
        return found

    def window_at(self, start: int) -> Window:
        """The day that begins at `start`."""
        return self.windows_for(start)[0]

    @property
    def retention_ms(self) -> int:
        """A day and the grace; an hour more where clocks change and a day can be late, so that none is let go while open."""
        changes = self.zone.utcoffset(None) is None
        return _DAY_MS + self.grace_ms + (_HOUR_MS if changes and self.grace_ms else 0)

    def _day_of(self, timestamp: int) -> Window:
        day = (_EPOCH + timestamp * _MILLISECOND).astimezone(self.zone).date()
        if timestamp >= self._begin(day + timedelta(days=1)):
            day += timedelta(days=1)
        return Window(max(0, self._begin(day)), self._begin(day + timedelta(days=1)))

    def _begin(self, day: date) -> int:
        """The first midnight of a day.

        Where clocks skip it they go on from it, in every zone since 1970, so that it is a moment all the same.
        """
        return (datetime.combine(day, time.min, tzinfo=self.zone) - _EPOCH) // _MILLISECOND


def calendar_days(zone: str, *, grace: Duration) -> CalendarDays:
    """Days from midnight to midnight in the time zone of this name, such as `Europe/Berlin`.

    `grace` is how long after its end a day still takes late records, measured by stream time. Raises TopologyError, with the
    nearest names, for a zone that is not known.
    """
    try:
        found = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        near = listed(get_close_matches(zone, available_timezones()))
        msg = f"time zone '{zone}' is unknown; nearest: {near}; names are those of the IANA database, such as Europe/Berlin"
        raise TopologyError(msg) from unknown
    return CalendarDays(found, milliseconds(grace, "the grace of a calendar day"))
