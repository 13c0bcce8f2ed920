"""Suppression, compared with its rules for the updates that the table emits without it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Table, hopping, session, until_time_limit, until_window_closes
from eddyline.application.topology.handles import GroupedStream
from tests.fixtures.examples import examples
from tests.models.streams_of_events import Event, Update, engine_of, events, updates_of_each

pytestmark = pytest.mark.extensive


def model(
    updates_of_events: list[list[Update]],
    since: Callable[[Update], int],
    wait: int,
    *,
    final: bool,
    max_records: int | None = None,
) -> list[list[Update]]:
    """Return the updates that are emitted for each event; `since` returns when the wait of an update starts."""
    buffer: dict[Any, tuple[int, Update]] = {}
    stream_time = -1
    emitted_for_events = []
    for updates in updates_of_events:
        emitted: list[Update] = []
        emitted_for_events.append(emitted)
        for update in updates:
            stream_time = max(stream_time, update[2])
            buffer[update[0]] = (buffer[update[0]][0] if update[0] in buffer else since(update), update)
            in_order = sorted(buffer, key=lambda key: (buffer[key][0], key))
            due = [key for key in in_order if buffer[key][0] + wait <= stream_time]
            if max_records is not None:
                due = in_order[: max(len(due), len(buffer) - max_records)]
            emitted.extend(buffer.pop(key)[1] for key in due)
        if final:
            emitted[:] = [update for update in emitted if update[1] is not None]
    return emitted_for_events


def end_of(update: Update) -> int:
    end: int = update[0].window.end
    return end


def both(
    count: Callable[[GroupedStream[str, str]], Table[Any, int]],
    suppress: Callable[[Table[Any, int]], Table[Any, int]],
    given_events: list[Event],
) -> tuple[list[list[Update]], list[list[Update]]]:
    """Return the updates for each event, without and with suppression."""
    plain, suppressed = engine_of(count), engine_of(lambda grouped: suppress(count(grouped)))
    return updates_of_each(plain, given_events), updates_of_each(suppressed, given_events)


@given(given_events=events(300), grace=st.integers(0, 40))
@settings(max_examples=examples(150))
def test_hopping_windows_until_they_close(given_events: list[Event], grace: int) -> None:
    plain, suppressed = both(
        lambda grouped: grouped.windowed_by(hopping(30, advance=10, grace=grace)).count(),
        lambda table: table.suppress(until_window_closes()),
        given_events,
    )
    assert suppressed == model(plain, end_of, grace, final=True)
    keys = [key for updates in suppressed for key, _, _ in updates]
    assert len(keys) == len(set(keys)), "a final result was emitted twice"
    last = {key: (value, time) for updates in plain for key, value, time in updates}
    assert all(last[key] == (value, time) for updates in suppressed for key, value, time in updates), (
        "an emitted result was not final"
    )


@given(given_events=events(200), gap=st.integers(1, 25), grace=st.integers(0, 40))
@settings(max_examples=examples(150))
def test_sessions_until_they_close(given_events: list[Event], gap: int, grace: int) -> None:
    plain, suppressed = both(
        lambda grouped: grouped.windowed_by(session(gap, grace=grace)).count(),
        lambda table: table.suppress(until_window_closes()),
        given_events,
    )
    assert suppressed == model(plain, end_of, gap + grace, final=True)


@given(given_events=events(200), limit=st.integers(0, 60), max_records=st.none() | st.integers(0, 3))
@settings(max_examples=examples(150))
def test_counts_until_a_time_limit(given_events: list[Event], limit: int, max_records: int | None) -> None:
    plain, suppressed = both(
        lambda grouped: grouped.count(),
        lambda table: table.suppress(until_time_limit(limit, max_records=max_records)),
        given_events,
    )
    assert suppressed == model(plain, lambda update: update[2], limit, final=False, max_records=max_records)
