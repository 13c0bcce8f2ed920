"""Emission on window close, compared with its rule: each result once, when stream time is far enough past the window's end."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Window, Windowed, hopping, on_window_close, session, sliding, tumbling
from eddyline.application.topology.windows import EnumerableWindows, SessionWindows, SlidingWindows
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.models.streams_of_events import Event, Update, engine_of, events, updates_of_each

pytestmark = pytest.mark.extensive

LONG_RETENTION_MS = 100_000


def order_by_start(key: Windowed[str]) -> Any:
    return key.window.start, key.key


def order_by_end(key: Windowed[str]) -> Any:
    return key.window.end, key.window.start, key.key


def counting(windows: EnumerableWindows | SlidingWindows | SessionWindows, **options: Any) -> MemoryEngine:
    if isinstance(windows, SessionWindows):
        return engine_of(lambda grouped: grouped.windowed_by(windows, **options).count(store="counts"))
    return engine_of(lambda grouped: grouped.windowed_by(windows, **options).count(store="counts"))


def model(
    given_events: list[Event],
    updates_of_events: list[list[Update]],
    is_closed: Callable[[Window, int], bool],
    order: Callable[[Windowed[str]], Any],
    *,
    null_values: bool,
) -> list[list[Update]]:
    """Return the results that are emitted for each event, given the updates that are emitted without the strategy."""
    table: dict[Windowed[str], tuple[int, int]] = {}
    emitted: set[Windowed[str]] = set()
    stream_time = -1
    results = []
    for event, updates in zip(given_events, updates_of_events, strict=True):
        for key, value, time in updates:
            table[key] = (value, time)
            if value is None:
                del table[key]
        if event.key is not None and (null_values or event.value is not None):
            stream_time = max(stream_time, event.timestamp)
        due = sorted((key for key in table.keys() - emitted if is_closed(key.window, stream_time)), key=order)
        emitted.update(due)
        results.append([(key, *table[key]) for key in due])
    return results


@pytest.mark.parametrize("retention", [None, LONG_RETENTION_MS])
@given(given_events=events(300), size=st.sampled_from([10, 30]), grace=st.integers(0, 40))
@settings(max_examples=examples(100))
def test_hopping_windows(retention: int | None, given_events: list[Event], size: int, grace: int) -> None:
    windows = hopping(size, advance=10, grace=grace)
    plain = updates_of_each(counting(windows), given_events)
    final = counting(windows, retention_ms=retention, emit_strategy=on_window_close())
    expected = model(given_events, plain, lambda window, now: now >= window.end + grace, order_by_start, null_values=True)
    assert updates_of_each(final, given_events) == expected


@pytest.mark.parametrize("retention", [None, LONG_RETENTION_MS])
@given(given_events=events(300), difference=st.integers(1, 40), grace=st.integers(0, 40))
@settings(max_examples=examples(100))
def test_sliding_windows(retention: int | None, given_events: list[Event], difference: int, grace: int) -> None:
    windows = sliding(difference, grace=grace)
    plain = updates_of_each(counting(windows, retention_ms=retention), given_events)
    final = counting(windows, retention_ms=retention, emit_strategy=on_window_close())
    expected = model(given_events, plain, lambda window, now: window.end < now - grace, order_by_start, null_values=False)
    assert updates_of_each(final, given_events) == expected


@given(given_events=events(300), gap=st.integers(1, 25), grace=st.integers(0, 40))
@settings(max_examples=examples(100))
def test_sessions(given_events: list[Event], gap: int, grace: int) -> None:
    windows = session(gap, grace=grace)
    plain = updates_of_each(counting(windows, retention_ms=LONG_RETENTION_MS), given_events)
    final = counting(windows, retention_ms=LONG_RETENTION_MS, emit_strategy=on_window_close())
    expected = model(given_events, plain, lambda window, now: window.end < now - grace - gap, order_by_end, null_values=True)
    assert updates_of_each(final, given_events) == expected


@given(
    given_events=events(400, max_size=30),
    advances=st.lists(st.integers(0, 800), min_size=30, max_size=30),
    grace=st.integers(0, 40),
)
@settings(max_examples=examples(100))
def test_with_an_emit_interval_each_result_is_emitted_once_and_none_is_lost(
    given_events: list[Event], advances: list[int], grace: int
) -> None:
    without_interval = counting(tumbling(20, grace=grace), emit_strategy=on_window_close())
    with_interval = counting(tumbling(20, grace=grace), emit_strategy=on_window_close(emit_interval=1_000))
    expected = sorted(update for updates in updates_of_each(without_interval, given_events) for update in updates)
    emitted: list[Update] = []
    for event, advance in zip(given_events, advances, strict=False):
        with_interval.advance_wall_clock(advance)
        emitted.extend(update for updates in updates_of_each(with_interval, [event]) for update in updates)
    if given_events and (with_key := [event for event in given_events if event.key is not None]):
        with_interval.advance_wall_clock(1_000)
        last = Event(with_key[0].key, "x", max(event.timestamp for event in with_key))
        emitted.extend(update for updates in updates_of_each(with_interval, [last]) for update in updates)
    assert sorted(emitted) == expected
