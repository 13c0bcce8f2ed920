"""Calendar days neither overlap nor leave gaps, even where daylight saving time begins or ends."""

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from eddyline.application.topology import TopologyError, Window, calendar_days
from eddyline.application.topology.windows import CalendarDays

HOUR = 3_600_000


def milliseconds_of(text: str) -> int:
    return int(datetime.fromisoformat(text).astimezone(UTC).timestamp() * 1_000)


def days_from(days: CalendarDays, start: int, count: int) -> list[Window]:
    found = [days.windows_for(start)[0]]
    while len(found) < count:
        found.append(days.windows_for(found[-1].end)[0])
    return found


@pytest.mark.parametrize(
    ("zone", "moment", "start", "hours"),
    [
        ("UTC", "2024-03-31T12:00Z", "2024-03-31T00:00Z", 24),
        ("Europe/Berlin", "2024-03-31T12:00Z", "2024-03-30T23:00Z", 23),
        ("Europe/Berlin", "2024-10-27T12:00Z", "2024-10-26T22:00Z", 25),
        ("Australia/Lord_Howe", "2024-04-06T20:00Z", "2024-04-06T13:00Z", 24.5),
        ("America/Sao_Paulo", "2017-10-15T12:00Z", "2017-10-15T03:00Z", 23),
        ("America/Sao_Paulo", "2018-02-17T12:00Z", "2018-02-17T02:00Z", 25),
        ("Pacific/Apia", "2011-12-30T09:59Z", "2011-12-29T10:00Z", 24),
        ("America/St_Johns", "2005-10-30T03:00Z", "2005-10-30T02:30Z", 25),
        ("Asia/Kathmandu", "2024-01-01T12:00Z", "2023-12-31T18:15Z", 24),
    ],
    ids=str,
)
def test_a_day_lasts_from_midnight_to_midnight(zone: str, moment: str, start: str, hours: float) -> None:
    day = calendar_days(zone, grace=0).windows_for(milliseconds_of(moment))[0]
    assert day == Window(milliseconds_of(start), milliseconds_of(start) + int(hours * HOUR))


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "America/Sao_Paulo", "Pacific/Apia", "Africa/Cairo"])
@pytest.mark.parametrize("year", [1995, 2005, 2011, 2024])
def test_the_days_of_a_year_leave_no_gaps(zone: str, year: int) -> None:
    days = calendar_days(zone, grace=0)
    found = days_from(days, int(datetime(year, 1, 1, 12, tzinfo=ZoneInfo(zone)).timestamp() * 1_000), 366)
    assert all(one.end == other.start for one, other in pairwise(found))
    assert all(22 * HOUR <= day.end - day.start <= 26 * HOUR for day in found)
    for day in found:
        assert days.windows_for(day.start) == days.windows_for(day.end - 1) == (day,)
        assert days.window_at(day.start) == day


def test_the_day_of_the_epoch_starts_at_the_epoch() -> None:
    assert calendar_days("Asia/Tokyo", grace=0).windows_for(5) == (Window(0, 15 * HOUR),)


def test_the_retention_is_an_hour_longer_where_days_have_25_hours_and_a_grace_period() -> None:
    assert calendar_days("UTC", grace=HOUR).retention_ms == 25 * HOUR
    assert calendar_days("Europe/Berlin", grace=0).retention_ms == 24 * HOUR
    assert calendar_days("Europe/Berlin", grace=HOUR).retention_ms == 26 * HOUR


@pytest.mark.parametrize("zone", ["Europe/Berln", "", "/etc/passwd"])
def test_an_unknown_time_zone_is_rejected(zone: str) -> None:
    with pytest.raises(TopologyError, match=f"unknown time zone '{zone}'; .*pass a name from the IANA time zone database"):
        calendar_days(zone, grace=0)


def test_the_closest_names_of_an_unknown_time_zone_are_suggested() -> None:
    with pytest.raises(TopologyError, match="unknown time zone 'Europe/Berln'; did you mean 'Europe/Berlin'"):
        calendar_days("Europe/Berln", grace=0)
