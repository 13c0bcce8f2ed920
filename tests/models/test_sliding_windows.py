"""Sliding windows, compared with their definition.

Every record has a window that ends at it, and, if there are later records in it, a window that starts one millisecond after it;
a window contains all records between its bounds.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Window, Windowed, sliding
from tests.fixtures.examples import examples
from tests.models.streams_of_events import Event, Update, engine_of, events, table_of, updates_of_each

pytestmark = pytest.mark.extensive

MAX_TIMESTAMP = 120
LONG_GRACE_MS = 1_000


def windows_by_definition(times: list[int], difference: int) -> dict[Window, tuple[int, int]]:
    """Return count and greatest timestamp of every window of a key's records."""
    found = {}
    for time in times:
        left = max(0, time - difference)
        for start in (left, time + 1):
            contained = [other for other in times if start <= other <= start + difference]
            if contained:
                found[Window(start, start + difference)] = (len(contained), max(contained))
    return found


def changes(times: list[int], timestamp: int, difference: int) -> list[tuple[Window, int, int]]:
    """Return the windows of a key that a record updates, in the order in which the updates are emitted."""
    before = windows_by_definition(times, difference)
    after = windows_by_definition([*times, timestamp], difference)
    changed = {window for window in after if before.get(window) != after[window]}
    existing = sorted(window for window in changed if window in before)
    own_right = [window for window in changed - set(existing) if window.start == timestamp + 1]
    own_left = [window for window in changed - set(existing) if window.start == max(0, timestamp - difference)]
    of_previous = [window for window in changed - set(existing) if window not in own_right + own_left]
    if timestamp < difference:
        last = [window for window in existing if window.start == 0] or own_left
        ordered = [window for window in existing if window.start > 0] + of_previous + own_right + last
    else:
        previous_is_seen = any(timestamp - 2 * difference <= window.start < timestamp - difference for window in before)
        emitted_twice = [window for window in own_left if window.start - 1 in times and previous_is_seen]
        ordered = existing[::-1] + emitted_twice + of_previous + own_left + own_right
    return [(window, *after[window]) for window in ordered]


def model(given_events: list[Event], difference: int) -> list[list[Update]]:
    accepted: dict[str, list[int]] = {}
    updates_of_events = []
    for event in given_events:
        updates: list[Update] = []
        updates_of_events.append(updates)
        if event.key is None or event.value is None:
            continue
        times = accepted.setdefault(event.key, [])
        for window, count, newest in changes(times, event.timestamp, difference):
            updates.append((Windowed(event.key, window), count, newest))
        times.append(event.timestamp)
    return updates_of_events


@given(given_events=events(MAX_TIMESTAMP), difference=st.integers(1, 60))
@settings(max_examples=examples(300))
def test_sliding_window_counts_without_late_records(given_events: list[Event], difference: int) -> None:
    engine = engine_of(lambda grouped: grouped.windowed_by(sliding(difference, grace=LONG_GRACE_MS)).count(store="counts"))
    assert updates_of_each(engine, given_events) == model(given_events, difference)


@given(given_events=events(MAX_TIMESTAMP), difference=st.integers(1, 30), grace=st.integers(0, 60))
@settings(max_examples=examples(200))
def test_a_window_is_no_longer_updated_when_its_grace_period_is_over(
    given_events: list[Event], difference: int, grace: int
) -> None:
    engine = engine_of(lambda grouped: grouped.windowed_by(sliding(difference, grace=grace)).count(store="counts"))
    stream_time = -1
    for event, updates in zip(given_events, updates_of_each(engine, given_events), strict=True):
        if event.key is not None and event.value is not None:
            stream_time = max(stream_time, event.timestamp)
        assert all(key.window.end >= stream_time - grace for key, _, _ in updates)


@given(given_events=events(MAX_TIMESTAMP), difference=st.integers(1, 30))
@settings(max_examples=examples(100))
def test_records_in_order_are_never_late(given_events: list[Event], difference: int) -> None:
    in_order = sorted(given_events, key=lambda event: event.timestamp)
    strict, lenient = (
        engine_of(lambda grouped, grace=grace: grouped.windowed_by(sliding(difference, grace=grace)).count(store="counts"))  # type: ignore[misc]
        for grace in (0, LONG_GRACE_MS)
    )
    assert updates_of_each(strict, in_order) == updates_of_each(lenient, in_order)
    assert table_of(strict).items() <= table_of(lenient).items()
