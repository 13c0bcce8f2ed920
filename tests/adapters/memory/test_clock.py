import pytest

from eddyline.adapters.memory.clock import MemoryClock


def test_the_clock_shows_the_same_time_until_it_is_moved() -> None:
    clock = MemoryClock(5)
    assert (clock.now_ms(), clock.now_ms()) == (5, 5)
    clock.advance(10)
    assert clock.now_ms() == 15
    clock.move_to(100)
    assert clock.now_ms() == 100


def test_the_clock_cannot_go_back() -> None:
    clock = MemoryClock(5)
    with pytest.raises(ValueError, match="shows 5 ms and cannot go back to 4 ms"):
        clock.advance(-1)


def test_the_clock_begins_at_0_and_may_be_moved_to_the_time_it_shows() -> None:
    clock = MemoryClock()
    assert clock.now_ms() == 0
    clock.move_to(0)
    clock.advance(0)
    assert clock.now_ms() == 0
