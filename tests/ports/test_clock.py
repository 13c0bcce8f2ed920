"""What every clock does."""

import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.application.ports.clock import Clock


@pytest.fixture(params=["memory"])
def clock() -> Clock:
    return MemoryClock(1_000)


def test_a_clock_shows_whole_milliseconds_and_never_goes_back(clock: Clock) -> None:
    shown = [clock.now_ms() for _ in range(100)]
    assert all(type(time) is int for time in shown)
    assert shown == sorted(shown)
