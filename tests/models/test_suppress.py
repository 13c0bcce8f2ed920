"""Suppression against its rules, from the updates that a table gives without it."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Table, hopping, session, until_time_limit, until_window_closes
from eddyline.application.topology.handles import GroupedStream
from tests.models.streams_of_events import Event, Update, engine_of, events, updates_of_each


def model(
    plain: list[list[Update]], since: Callable[[Update], int], wait: int, *, final: bool, most: int | None = None
) -> list[list[Update]]:
    """What leaves after each event, where an update waits from `since` on."""
    held: dict[Any, tuple[int, Update]] = {}
    clock = -1
    found = []
    for updates in plain:
        left: list[Update] = []
        found.append(left)
        for update in updates:
            clock = max(clock, update[2])
            held[update[0]] = (held[update[0]][0] if update[0] in held else since(update), update)
            in_order = sorted(held, key=lambda key: (held[key][0], key))
            due = [key for key in in_order if held[key][0] + wait <= clock]
            if most is not None:
                due = in_order[: max(len(due), len(held) - most)]
            left.extend(held.pop(key)[1] for key in due)
        if final:
            left[:] = [update for update in left if update[1] is not None]
    return found


def end_of(update: Update) -> int:
    end: int = update[0].window.end
    return end


def both(
    count: Callable[[GroupedStream[str, str]], Table[Any, int]],
    hold: Callable[[Table[Any, int]], Table[Any, int]],
    given_events: list[Event],
) -> tuple[list[list[Update]], list[list[Update]]]:
    """What comes out without suppression and with it."""
    plain, held = engine_of(count), engine_of(lambda grouped: hold(count(grouped)))
    return updates_of_each(plain, given_events), updates_of_each(held, given_events)


@given(given_events=events(300), grace=st.integers(0, 40))
@settings(max_examples=150)
def test_hopping_windows_until_they_close(given_events: list[Event], grace: int) -> None:
    plain, held = both(
        lambda grouped: grouped.windowed_by(hopping(30, advance=10, grace=grace)).count(),
        lambda table: table.suppress(until_window_closes()),
        given_events,
    )
    assert held == model(plain, end_of, grace, final=True)
    left = [key for updates in held for key, _, _ in updates]
    assert len(left) == len(set(left)), "a final result left twice"
    last = {key: (value, time) for updates in plain for key, value, time in updates}
    assert all(last[key] == (value, time) for updates in held for key, value, time in updates), "what left was not final"


@given(given_events=events(200), gap=st.integers(1, 25), grace=st.integers(0, 40))
@settings(max_examples=150)
def test_sessions_until_they_close(given_events: list[Event], gap: int, grace: int) -> None:
    plain, held = both(
        lambda grouped: grouped.windowed_by(session(gap, grace=grace)).count(),
        lambda table: table.suppress(until_window_closes()),
        given_events,
    )
    assert held == model(plain, end_of, gap + grace, final=True)


@given(given_events=events(200), limit=st.integers(0, 60), most=st.none() | st.integers(0, 3))
@settings(max_examples=150)
def test_counts_until_a_time_limit(given_events: list[Event], limit: int, most: int | None) -> None:
    plain, held = both(
        lambda grouped: grouped.count(),
        lambda table: table.suppress(until_time_limit(limit, max_records=most)),
        given_events,
    )
    assert held == model(plain, lambda update: update[2], limit, final=False, most=most)
