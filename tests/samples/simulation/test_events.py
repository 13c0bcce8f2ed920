import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.samples.simulation.events import (
    SimulationError,
    Timeline,
    check_at_least,
    check_fraction,
    happens,
    names,
    random_numbers,
    weights_by_rank,
)


@given(st.lists(st.integers(0, 1_000)))
def test_events_without_delay_arrive_in_order_of_event_time_then_in_the_order_in_which_they_were_added(at: list[int]) -> None:
    timeline = Timeline(random_numbers("test", 0))
    for number, time in enumerate(at):
        timeline.add("topic", "key", number, time)
    events = list(timeline.events())
    assert [(event.topic, event.key) for event in events] == [("topic", "key")] * len(at)
    assert [(event.timestamp, event.value) for event in events] == sorted((time, number) for number, time in enumerate(at))


def test_the_fraction_that_is_out_of_order_arrives_within_the_delay() -> None:
    timeline = Timeline(random_numbers("test", 0), out_of_order=0.1, delay_ms=50)
    for at in range(10_000):
        timeline.add("topic", None, None, at)
    newest, delays = 0, []
    for event in timeline.events():
        if event.timestamp < newest:
            delays.append(newest - event.timestamp)
        newest = max(newest, event.timestamp)
    assert 800 < len(delays) < 1_200
    assert 45 <= max(delays) <= 50


def test_all_or_no_events_may_be_delayed() -> None:
    for fraction, expected in ((0.0, [0, 1]), (1.0, [1, 0])):
        timeline = Timeline(random_numbers("test", 0), out_of_order=fraction)
        timeline.add_delayed("topic", None, None, 0, int(fraction) * 2)
        timeline.add("topic", None, None, 1)
        assert [event.timestamp for event in timeline.events()] == expected


def test_the_bounds_of_a_range_are_allowed() -> None:
    check_fraction("late", 0)
    check_fraction("late", 1)
    check_at_least("users", 3, 3)
    with pytest.raises(SimulationError, match=r"^users is 2; choose 3 or more$"):
        check_at_least("users", 2, 3)


def test_weights_by_rank_make_the_first_twice_as_popular_as_the_second_and_so_on() -> None:
    assert weights_by_rank(4) == [1, 1 / 2, 1 / 3, 1 / 4]


def test_names_have_one_length_so_that_they_sort_by_number() -> None:
    assert names("user", 3) == ["user-1", "user-2", "user-3"]
    assert names("user", 10)[0] == "user-01"


def test_something_happens_in_the_given_fraction_of_cases() -> None:
    rng = random_numbers("test", 0)
    assert 270 < sum(happens(rng, 0.3) for _ in range(1_000)) < 330


def test_random_numbers_depend_on_the_name_and_the_seed() -> None:
    drawn = [random_numbers(name, seed).random() for name, seed in (("a", 1), ("a", 1), ("b", 1), ("a", 2))]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) == 3
