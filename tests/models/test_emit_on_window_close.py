"""Results that leave on close, against the rule: each once, as it is, when stream time is far enough past its end."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import Window, Windowed, hopping, on_window_close, session, sliding, tumbling
from eddyline.application.topology.windows import EnumerableWindows, SessionWindows, SlidingWindows
from tests.models.streams_of_events import Event, Update, engine_of, events, updates_of_each

KEEPS_ALL = 100_000


def order_by_start(key: Windowed[str]) -> Any:
    return key.window.start, key.key


def order_by_end(key: Windowed[str]) -> Any:
    return key.window.end, key.window.start, key.key


def counting(windows: EnumerableWindows | SlidingWindows | SessionWindows, **how: Any) -> MemoryEngine:
    if isinstance(windows, SessionWindows):
        return engine_of(lambda grouped: grouped.windowed_by(windows, **how).count(store="counts"))
    return engine_of(lambda grouped: grouped.windowed_by(windows, **how).count(store="counts"))


def model(
    given_events: list[Event],
    plain: list[list[Update]],
    is_closed: Callable[[Window, int], bool],
    order: Callable[[Windowed[str]], Any],
    *,
    null_values: bool,
) -> list[list[Update]]:
    """What leaves after each event, from the updates that would leave without waiting."""
    table: dict[Windowed[str], tuple[int, int]] = {}
    gone: set[Windowed[str]] = set()
    clock = -1
    found = []
    for event, updates in zip(given_events, plain, strict=True):
        for key, value, time in updates:
            table[key] = (value, time)
            if value is None:
                del table[key]
        if event.key is not None and (null_values or event.value is not None):
            clock = max(clock, event.timestamp)
        due = sorted((key for key in table.keys() - gone if is_closed(key.window, clock)), key=order)
        gone.update(due)
        found.append([(key, *table[key]) for key in due])
    return found


@pytest.mark.parametrize("retention", [None, KEEPS_ALL])
@given(given_events=events(300), size=st.sampled_from([10, 30]), grace=st.integers(0, 40))
@settings(max_examples=100)
def test_hopping_windows(retention: int | None, given_events: list[Event], size: int, grace: int) -> None:
    windows = hopping(size, advance=10, grace=grace)
    plain = updates_of_each(counting(windows), given_events)
    closing = counting(windows, retention_ms=retention, emit_strategy=on_window_close())
    expected = model(given_events, plain, lambda window, now: now >= window.end + grace, order_by_start, null_values=True)
    assert updates_of_each(closing, given_events) == expected


@pytest.mark.parametrize("retention", [None, KEEPS_ALL])
@given(given_events=events(300), difference=st.integers(1, 40), grace=st.integers(0, 40))
@settings(max_examples=100)
def test_sliding_windows(retention: int | None, given_events: list[Event], difference: int, grace: int) -> None:
    windows = sliding(difference, grace=grace)
    plain = updates_of_each(counting(windows, retention_ms=retention), given_events)
    closing = counting(windows, retention_ms=retention, emit_strategy=on_window_close())
    expected = model(given_events, plain, lambda window, now: window.end < now - grace, order_by_start, null_values=False)
    assert updates_of_each(closing, given_events) == expected


@given(given_events=events(300), gap=st.integers(1, 25), grace=st.integers(0, 40))
@settings(max_examples=100)
def test_sessions(given_events: list[Event], gap: int, grace: int) -> None:
    windows = session(gap, grace=grace)
    plain = updates_of_each(counting(windows, retention_ms=KEEPS_ALL), given_events)
    closing = counting(windows, retention_ms=KEEPS_ALL, emit_strategy=on_window_close())
    expected = model(given_events, plain, lambda window, now: window.end < now - grace - gap, order_by_end, null_values=True)
    assert updates_of_each(closing, given_events) == expected


@given(given_events=events(400, most=30), steps=st.lists(st.integers(0, 800), min_size=30, max_size=30), grace=st.integers(0, 40))
@settings(max_examples=100)
def test_with_looks_apart_each_result_leaves_once_and_none_is_lost(
    given_events: list[Event], steps: list[int], grace: int
) -> None:
    at_once = counting(tumbling(20, grace=grace), emit_strategy=on_window_close())
    now_and_then = counting(tumbling(20, grace=grace), emit_strategy=on_window_close(emit_interval=1_000))
    expected = sorted(update for updates in updates_of_each(at_once, given_events) for update in updates)
    left: list[Update] = []
    for event, step in zip(given_events, steps, strict=False):
        now_and_then.advance_wall_clock(step)
        left.extend(update for updates in updates_of_each(now_and_then, [event]) for update in updates)
    if given_events and (known := [event for event in given_events if event.key is not None]):
        now_and_then.advance_wall_clock(1_000)
        again = Event(known[0].key, "x", max(event.timestamp for event in known))
        left.extend(update for updates in updates_of_each(now_and_then, [again]) for update in updates)
    assert sorted(left) == expected
