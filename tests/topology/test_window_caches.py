"""The caches of windows are bounded, and what they forget is computed again."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from eddyline.application.topology import Window, calendar_days, hopping, tumbling
from eddyline.application.topology.windows import calendar_windows, time_windows

HOUR_MS = 3_600_000
WindowsFor: TypeAlias = Callable[[int], object]


@pytest.fixture(autouse=True)
def _three_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_windows, "_MAX_CACHED_PANES", 3)
    monkeypatch.setattr(calendar_windows, "_MAX_CACHED_DAYS", 3)


@pytest.mark.parametrize(
    ("windows_for", "step"),
    [
        (lambda: tumbling(10, grace=0).windows_for, 10),
        (lambda: hopping(20, advance=10, grace=0).windows_for, 10),
        (lambda: calendar_days("Europe/Rome", grace=0).windows_for, HOUR_MS),
    ],
    ids=["tumbling", "hopping", "calendar days"],
)
def test_windows_are_cached_until_there_are_too_many(windows_for: Callable[[], WindowsFor], step: int) -> None:
    windows = windows_for()
    first = windows(0)
    windows(step), windows(2 * step)
    assert windows(0) is first, "three are cached"
    windows(3 * step)
    assert windows(0) is not first, "the fourth took their place"
    assert windows(0) == first


def test_windows_are_the_same_whatever_is_cached() -> None:
    hops, days = hopping(20, advance=10, grace=0), calendar_days("UTC", grace=0)
    for timestamp in [*range(0, 100, 7), *range(0, 100, 7)]:
        start = timestamp // 10 * 10
        assert list(hops.windows_for(timestamp)) == [Window(first, first + 20) for first in (start - 10, start) if first >= 0]
        day = timestamp * HOUR_MS // (24 * HOUR_MS) * 24 * HOUR_MS
        assert list(days.windows_for(timestamp * HOUR_MS)) == [Window(day, day + 24 * HOUR_MS)]


def test_hops_that_do_not_divide_the_size_are_not_confused_by_the_cache() -> None:
    hops = hopping(10, advance=4, grace=0)
    assert list(hops.windows_for(9)) == [Window(0, 10), Window(4, 14), Window(8, 18)]
    assert list(hops.windows_for(10)) == [Window(4, 14), Window(8, 18)]
