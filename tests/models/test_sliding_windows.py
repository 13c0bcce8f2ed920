"""Sliding windows against their definition: for every record one window that ends at it, and one that begins just after it
when later records lie in that; each holds all records between its bounds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Window, Windowed, sliding
from tests.models.streams_of_events import Event, Update, engine_of, events, table_of, updates_of_each

LATEST = 120
KEEPS_ALL = 1_000


def windows_by_definition(times: list[int], difference: int) -> dict[Window, tuple[int, int]]:
    """Count and greatest time of every window of a key's records."""
    found = {}
    for time in times:
        left = max(0, time - difference)
        for start in (left, time + 1):
            held = [other for other in times if start <= other <= start + difference]
            if held:
                found[Window(start, start + difference)] = (len(held), max(held))
    return found


def changes(times: list[int], timestamp: int, difference: int) -> list[tuple[Window, int, int]]:
    """What a record changes among the windows of its key, in the order in which the changes leave."""
    before = windows_by_definition(times, difference)
    after = windows_by_definition([*times, timestamp], difference)
    changed = {window for window in after if before.get(window) != after[window]}
    there = sorted(window for window in changed if window in before)
    own_right = [window for window in changed - set(there) if window.start == timestamp + 1]
    own_left = [window for window in changed - set(there) if window.start == max(0, timestamp - difference)]
    of_previous = [window for window in changed - set(there) if window not in own_right + own_left]
    if timestamp < difference:
        last = [window for window in there if window.start == 0] or own_left
        ordered = [window for window in there if window.start > 0] + of_previous + own_right + last
    else:
        previous_is_seen = any(timestamp - 2 * difference <= window.start < timestamp - difference for window in before)
        told_twice = [window for window in own_left if window.start - 1 in times and previous_is_seen]
        ordered = there[::-1] + told_twice + of_previous + own_left + own_right
    return [(window, *after[window]) for window in ordered]


def model(given_events: list[Event], difference: int) -> list[list[Update]]:
    taken: dict[str, list[int]] = {}
    found = []
    for event in given_events:
        updates: list[Update] = []
        found.append(updates)
        if event.key is None or event.value is None:
            continue
        times = taken.setdefault(event.key, [])
        for window, count, newest in changes(times, event.timestamp, difference):
            updates.append((Windowed(event.key, window), count, newest))
        times.append(event.timestamp)
    return found


@given(given_events=events(LATEST), difference=st.integers(1, 60))
@settings(max_examples=300)
def test_sliding_counts_where_nothing_is_late(given_events: list[Event], difference: int) -> None:
    engine = engine_of(lambda grouped: grouped.windowed_by(sliding(difference, grace=KEEPS_ALL)).count(store="counts"))
    assert updates_of_each(engine, given_events) == model(given_events, difference)


@given(given_events=events(LATEST), difference=st.integers(1, 30), grace=st.integers(0, 60))
@settings(max_examples=200)
def test_a_window_changes_no_more_when_stream_time_is_past_its_end_and_grace(
    given_events: list[Event], difference: int, grace: int
) -> None:
    engine = engine_of(lambda grouped: grouped.windowed_by(sliding(difference, grace=grace)).count(store="counts"))
    stream_time = -1
    for event, updates in zip(given_events, updates_of_each(engine, given_events), strict=True):
        if event.key is not None and event.value is not None:
            stream_time = max(stream_time, event.timestamp)
        assert all(key.window.end >= stream_time - grace for key, _, _ in updates)


@given(given_events=events(LATEST), difference=st.integers(1, 30))
@settings(max_examples=100)
def test_records_in_order_are_never_late(given_events: list[Event], difference: int) -> None:
    in_order = sorted(given_events, key=lambda event: event.timestamp)
    strict, lenient = (
        engine_of(lambda grouped, grace=grace: grouped.windowed_by(sliding(difference, grace=grace)).count(store="counts"))  # type: ignore[misc]
        for grace in (0, KEEPS_ALL)
    )
    assert updates_of_each(strict, in_order) == updates_of_each(lenient, in_order)
    assert table_of(strict).items() <= table_of(lenient).items()
