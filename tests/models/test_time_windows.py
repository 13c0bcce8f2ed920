"""Time windows, compared with their rule: a window accepts a record while its end is later than stream time minus grace."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Window, Windowed, calendar_days, hopping, unlimited
from eddyline.application.topology.windows import EnumerableWindows
from tests.fixtures.examples import examples
from tests.models.streams_of_events import Event, Update, engine_of, events, updates_of_each

pytestmark = pytest.mark.extensive

HOUR = 3_600_000
CLOCK_CHANGES = {
    "Europe/Berlin": datetime(2024, 3, 30, tzinfo=UTC),
    "America/New_York": datetime(2024, 11, 2, tzinfo=UTC),
    "Australia/Lord_Howe": datetime(2024, 4, 6, tzinfo=UTC),
}


def model(given_events: list[Event], windows_of: Callable[[int], Sequence[Window]], grace: int) -> list[list[Update]]:
    """Return the updates for each event, counted from all previous events for each window."""
    accepted: list[tuple[str, Window, int]] = []
    stream_time = -1
    updates_of_events = []
    for event in given_events:
        updates: list[Update] = []
        updates_of_events.append(updates)
        if event.key is None:
            continue
        stream_time = max(stream_time, event.timestamp)
        for window in windows_of(event.timestamp):
            if window.end > stream_time - grace:
                accepted.append((event.key, window, event.timestamp))
                times = [time for key, other, time in accepted if (key, other) == (event.key, window)]
                updates.append((Windowed(event.key, window), len(times), max(times)))
    return updates_of_events


def counted(windows: EnumerableWindows, given_events: list[Event]) -> list[list[Update]]:
    engine = engine_of(lambda grouped: grouped.windowed_by(windows).count(store="counts"))
    return updates_of_each(engine, given_events)


@given(given_events=events(300), size=st.integers(1, 60), advance=st.integers(1, 60), grace=st.integers(0, 80))
@settings(max_examples=examples(200))
def test_hopping_windows(given_events: list[Event], size: int, advance: int, grace: int) -> None:
    advance = min(advance, size)

    def windows_of(timestamp: int) -> list[Window]:
        return [Window(start, start + size) for start in range(0, timestamp + 1, advance) if timestamp < start + size]

    assert counted(hopping(size, advance=advance, grace=grace), given_events) == model(given_events, windows_of, grace)


@given(
    zone=st.sampled_from(sorted(CLOCK_CHANGES)),
    hours=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 95)), max_size=30),
    grace=st.sampled_from([0, HOUR, 30 * HOUR]),
)
@settings(max_examples=examples(100))
def test_calendar_days(zone: str, hours: list[tuple[str, int]], grace: int) -> None:
    first = int(CLOCK_CHANGES[zone].timestamp()) * 1_000
    given_events = [Event(key, "x", first + hour * HOUR) for key, hour in hours]

    def windows_of(timestamp: int) -> list[Window]:
        day = [moment for moment in quarters if local_date(moment) == local_date(timestamp)]
        return [Window(day[0], day[-1] + HOUR // 4)]

    def local_date(moment: int) -> object:
        return datetime.fromtimestamp(moment // 1_000, ZoneInfo(zone)).date()

    quarters = range(first - 48 * HOUR, first + 144 * HOUR, HOUR // 4)
    assert counted(calendar_days(zone, grace=grace), given_events) == model(given_events, windows_of, grace)


@given(given_events=events(100), start=st.integers(0, 60))
@settings(max_examples=examples(50))
def test_unlimited_windows(given_events: list[Event], start: int) -> None:
    def windows_of(timestamp: int) -> list[Window]:
        return [Window(start, (1 << 63) - 1)] if timestamp >= start else []

    assert counted(unlimited(start=start), given_events) == model(given_events, windows_of, 0)
