"""The contract of the clock, tested on every adapter."""

import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.system.clock import SystemClock
from eddyline.application.ports.clock import Clock


@pytest.fixture(params=["memory", "system"])
def clock(request: pytest.FixtureRequest) -> Clock:
    return MemoryClock(1_000) if request.param == "memory" else SystemClock()


def test_a_clock_returns_whole_milliseconds_in_order(clock: Clock) -> None:
    times = [clock.now_ms() for _ in range(100)]
    assert all(type(time) is int for time in times)
    assert times == sorted(times)
