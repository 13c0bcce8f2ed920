import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.samples.simulation.events import (
    SimulationError,
    Timeline,
    by_rank,
    check_at_least,
    check_part,
    dice,
    happens,
    names,
)


@given(st.lists(st.integers(0, 1_000)))
def test_events_that_are_not_delayed_arrive_by_event_time_and_else_as_they_were_added(at: list[int]) -> None:
    timeline = Timeline(dice("test", 0))
    for number, time in enumerate(at):
        timeline.add("topic", "key", number, time)
    events = list(timeline.events())
    assert [(event.topic, event.key) for event in events] == [("topic", "key")] * len(at)
    assert [(event.timestamp, event.value) for event in events] == sorted((time, number) for number, time in enumerate(at))


def test_the_part_that_is_out_of_order_arrives_within_the_delay() -> None:
    timeline = Timeline(dice("test", 0), out_of_order=0.1, delay_ms=50)
    for at in range(10_000):
        timeline.add("topic", None, None, at)
    newest, behind = 0, []
    for event in timeline.events():
        if event.timestamp < newest:
            behind.append(newest - event.timestamp)
        newest = max(newest, event.timestamp)
    assert 800 < len(behind) < 1_200
    assert 45 <= max(behind) <= 50


def test_all_or_none_may_be_delayed() -> None:
    for part, expected in ((0.0, [0, 1]), (1.0, [1, 0])):
        timeline = Timeline(dice("test", 0), part, 0)
        timeline.add_late("topic", None, None, 0, int(part) * 2)
        timeline.add("topic", None, None, 1)
        assert [event.timestamp for event in timeline.events()] == expected


@pytest.mark.parametrize(
    ("part", "delay_ms", "message"),
    [
        (-0.1, 0, "out_of_order is -0.1; it is a part of all: give a number from 0 to 1"),
        (1.1, 0, "out_of_order is 1.1; it is a part of all: give a number from 0 to 1"),
        (0.0, -1, "delay_ms is -1; give 0 or more"),
    ],
)
def test_a_disorder_that_cannot_be_is_refused(part: float, delay_ms: int, message: str) -> None:
    with pytest.raises(SimulationError) as error:
        Timeline(dice("test", 0), part, delay_ms)
    assert str(error.value) == message


def test_bounds_are_allowed_themselves() -> None:
    check_part("late", 0)
    check_part("late", 1)
    check_at_least("users", 3, 3)
    with pytest.raises(SimulationError, match=r"^users is 2; give 3 or more$"):
        check_at_least("users", 2, 3)


def test_the_first_is_chosen_twice_as_often_as_the_second_and_so_on() -> None:
    assert by_rank(4) == [1, 1 / 2, 1 / 3, 1 / 4]


def test_names_are_of_one_length_so_that_they_sort_by_number() -> None:
    assert names("user", 3) == ["user-1", "user-2", "user-3"]
    assert names("user", 10)[0] == "user-01"


def test_things_happen_as_often_as_they_should() -> None:
    rng = dice("test", 0)
    assert 270 < sum(happens(rng, 0.3) for _ in range(1_000)) < 330


def test_the_dice_fall_alike_for_one_name_and_seed_alone() -> None:
    thrown = [dice(name, seed).random() for name, seed in (("a", 1), ("a", 1), ("b", 1), ("a", 2))]
    assert thrown[0] == thrown[1]
    assert len(set(thrown)) == 3
