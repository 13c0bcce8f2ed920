"""Session windows, compared with their rules: a list of sessions that is searched for every event."""

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Window, Windowed, session
from tests.fixtures.examples import examples
from tests.models.streams_of_events import Event, Update, engine_of, events, table_of, updates_of_each

pytestmark = pytest.mark.extensive


class Session(NamedTuple):
    """A session and the number of its events."""

    key: str
    start: int
    end: int
    events: int

    @property
    def windowed(self) -> Windowed[str]:
        """The key and window of the session."""
        return Windowed(self.key, Window(self.start, self.end))


def model(given_events: list[Event], gap: int, grace: int) -> tuple[list[list[Update]], dict[Windowed[str], int]]:
    """Return the updates for each event, and the sessions in the store at the end."""
    sessions: list[Session] = []
    stream_time = newest_end = -1
    updates_of_events = []
    for event in given_events:
        updates: list[Update] = []
        updates_of_events.append(updates)
        if event.key is None:
            continue
        stream_time = max(stream_time, event.timestamp)
        stored = [one for one in sessions if one.end > newest_end - gap - grace]
        near = [one for one in stored if one.key == event.key and one.start - gap <= event.timestamp <= one.end + gap]
        merged = Session(
            event.key,
            min([event.timestamp, *(one.start for one in near)]),
            max([event.timestamp, *(one.end for one in near)]),
            1 + sum(one.events for one in near),
        )
        if merged.end < stream_time - gap - grace:
            continue
        if merged.start != event.timestamp or merged.end != event.timestamp:
            near.sort(key=lambda one: one.end)
            updates.extend((one.windowed, None, one.end) for one in near)
        sessions = [one for one in stored if one not in near]
        sessions.append(merged)
        newest_end = max(newest_end, merged.end)
        updates.append((merged.windowed, merged.events, merged.end))
    return updates_of_events, {one.windowed: one.events for one in sessions if one.end > newest_end - gap - grace}


@given(given_events=events(200), gap=st.integers(1, 25), grace=st.sampled_from([0, 1, 20, 500]))
@settings(max_examples=examples(300))
def test_session_counts(given_events: list[Event], gap: int, grace: int) -> None:
    engine = engine_of(lambda grouped: grouped.windowed_by(session(gap, grace=grace)).count(store="counts"))
    updates, stored = model(given_events, gap, grace)
    assert updates_of_each(engine, given_events) == updates
    assert table_of(engine) == stored


@given(times=st.lists(st.integers(0, 400), max_size=40), gap=st.integers(1, 25))
@settings(max_examples=examples(100))
def test_with_a_long_grace_period_sessions_do_not_depend_on_the_order_of_events(times: list[int], gap: int) -> None:
    def sessions_of(given_events: list[Event]) -> dict[Windowed[str], int]:
        engine = engine_of(lambda grouped: grouped.windowed_by(session(gap, grace=1_000)).count(store="counts"))
        updates_of_each(engine, given_events)
        return table_of(engine)

    in_order = [Event("a", "x", time) for time in sorted(times)]
    assert sessions_of([Event("a", "x", time) for time in times]) == sessions_of(in_order)
