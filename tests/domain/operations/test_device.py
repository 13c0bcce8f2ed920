import math
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.operations import Device, MaintenanceRequest, MaintenanceRules, MeanReadings, Reading, ReadingSums

RULES = MaintenanceRules(rising_windows=3, temperature_rise=3.0, vibration_rise=0.5, silence_ms=600)
NEW = Device(last_heard=0, waiting_since=0)

readings = st.builds(Reading, st.integers(-50, 200).map(float), st.integers(0, 50).map(float))


def windows(*means: tuple[float, float], start: int = 0, size: int = 100) -> list[MeanReadings]:
    """Windows that follow each other, of (temperature, vibration)."""
    return [
        MeanReadings(start + index * size, start + (index + 1) * size, temperature, vibration)
        for index, (temperature, vibration) in enumerate(means)
    ]


def measured(device: Device, *seen: MeanReadings) -> Device:
    return reduce(lambda so_far, window: so_far.measured("m1", window, RULES), seen, device)


RISE = windows((60.0, 1.0), (61.0, 1.25), (63.0, 1.5))
ASKS = MaintenanceRequest("m1", "rising", 0)


@pytest.mark.parametrize(
    ("reading", "sound"),
    [
        (Reading(60.0, 1.0), True),
        (Reading(-20.0, 0.0), True),
        (Reading(math.nan, 1.0), False),
        (Reading(60.0, math.nan), False),
        (Reading(math.inf, 1.0), False),
        (Reading(60.0, -math.inf), False),
        (Reading(60.0, -0.1), False),
    ],
)
def test_a_reading_is_sound_when_its_figures_can_be(reading: Reading, sound: bool) -> None:
    assert reading.is_sound is sound


@given(st.lists(readings), st.lists(readings), st.lists(readings))
def test_sums_of_readings_are_a_monoid(one: list[Reading], two: list[Reading], three: list[Reading]) -> None:
    a, b, c = (reduce(ReadingSums.add, part, ReadingSums()) for part in (one, two, three))
    assert a.merge(b).merge(c) == a.merge(b.merge(c)) == reduce(ReadingSums.add, [*one, *two, *three], ReadingSums())
    assert a.merge(ReadingSums()) == a == ReadingSums().merge(a)


@given(st.lists(readings, min_size=1))
def test_means_are_those_of_the_readings(seen: list[Reading]) -> None:
    means = reduce(ReadingSums.add, seen, ReadingSums()).over(100, 200)
    assert (means.start, means.end) == (100, 200)
    assert means.temperature * len(seen) == pytest.approx(sum(reading.temperature for reading in seen))
    assert means.vibration * len(seen) == pytest.approx(sum(reading.vibration for reading in seen))


def test_a_rise_of_both_over_enough_windows_calls_for_maintenance_at_the_last_of_them() -> None:
    assert [measured(NEW, *RISE[:count]).request for count in range(4)] == [None, None, None, ASKS]


@pytest.mark.parametrize(
    "means",
    [
        [(60.0, 1.0), (61.0, 1.25), (62.99, 1.5)],
        [(60.0, 1.0), (61.0, 1.25), (63.0, 1.49)],
        [(60.0, 1.0), (59.0, 1.25), (63.0, 1.5)],
        [(60.0, 1.0), (61.0, 0.9), (63.0, 1.5)],
        [(60.0, 1.0), (61.0, 1.25), (61.0, 2.0)],
        [(60.0, 1.0), (60.0, 1.25), (63.0, 1.5)],
        [(60.0, 1.0), (61.0, 1.0), (63.0, 1.5)],
        [(60.0, 1.0), (61.0, 1.25), (65.0, 1.25)],
    ],
    ids=[
        "too little heat",
        "too little vibration",
        "heat falls",
        "vibration falls",
        "heat stays",
        "heat stays at first",
        "vibration stays at first",
        "vibration stays",
    ],
)
def test_less_than_a_rise_of_both_calls_for_nothing(means: list[tuple[float, float]]) -> None:
    assert measured(NEW, *windows(*means)).request is None


def test_a_missing_window_breaks_the_row() -> None:
    first, _, last = RISE
    later = replace(last, start=300, end=400)
    assert measured(NEW, first, RISE[1], later).request is None
    assert measured(NEW, first, last).request is None


def test_only_the_latest_windows_count_and_are_kept() -> None:
    fall_and_rise = windows((70.0, 3.0), (60.0, 1.0), (61.0, 1.25), (63.0, 1.5))
    device = measured(NEW, *fall_and_rise)
    assert device.request == MaintenanceRequest("m1", "rising", 100)
    assert device.windows == tuple(fall_and_rise[1:])


def test_a_machine_that_asks_is_not_asked_for_again() -> None:
    asking = measured(NEW, *RISE)
    worse = windows((66.0, 2.0), (70.0, 3.0), start=300)
    assert measured(asking, *worse).request == ASKS
    assert asking.waited_for("m1", 1_000_000, RULES) == asking


def test_a_service_settles_the_request_and_what_was_measured_before_counts_no_more() -> None:
    served = measured(NEW, *RISE).served(300, 300)
    assert (served.request, served.windows, served.served_at) == (None, (), 300)
    assert measured(served, *windows((66.0, 2.0), (70.0, 3.0), start=300)).request is None
    again = windows((66.0, 2.0), (70.0, 3.0), (74.0, 4.0), start=300)
    assert measured(served, *again).request == MaintenanceRequest("m1", "rising", 300)


def test_windows_that_began_before_the_service_say_nothing_though_they_close_after_it() -> None:
    served = NEW.served(250, 250)
    assert measured(served, *RISE) == served
    assert measured(served, *windows((1.0, 1.0), start=250)).windows == tuple(windows((1.0, 1.0), start=250))


def test_a_service_between_keeps_the_windows_after_it() -> None:
    assert measured(NEW, *RISE[:2]).served(100, 100).windows == (RISE[1],)


def test_a_service_from_before_the_signs_leaves_the_request_as_it_is() -> None:
    began_at_100 = measured(NEW, *windows((60.0, 1.0), (61.0, 1.25), (63.0, 1.5), start=100))
    assert began_at_100.served(99, 500).request == MaintenanceRequest("m1", "rising", 100)
    assert began_at_100.served(100, 500).request is None


def test_services_that_become_known_out_of_order_leave_the_latest() -> None:
    assert NEW.served(300, 300).served(200, 310).served_at == 300


def test_silence_for_longer_than_the_limit_calls_for_maintenance() -> None:
    heard = NEW.heard(1_000, 1_000)
    assert heard.waited_for("m1", 1_600, RULES).request is None
    assert heard.waited_for("m1", 1_601, RULES).request == MaintenanceRequest("m1", "silent", 1_000)


def test_a_service_is_a_sign_of_life_too() -> None:
    asking = NEW.waited_for("m1", 601, RULES)
    served = asking.served(700, 700)
    assert served.request is None
    assert served.waited_for("m1", 1_300, RULES).request is None
    assert served.waited_for("m1", 1_301, RULES).request == MaintenanceRequest("m1", "silent", 700)


def test_silence_is_measured_by_the_clock_and_told_by_the_time_of_the_last_word() -> None:
    heard = NEW.heard(5, 2_000)
    assert heard.waited_for("m1", 2_600, RULES).request is None
    assert heard.waited_for("m1", 2_601, RULES).request == MaintenanceRequest("m1", "silent", 5)


@given(st.integers(0, 9_999), st.integers(0, 9_999))
def test_a_sign_of_life_that_comes_late_makes_a_machine_no_younger(one: int, two: int) -> None:
    assert NEW.heard(one, one).heard(two, two) == NEW.heard(max(one, two), max(one, two))


@given(st.lists(st.tuples(st.integers(0, 100).map(float), st.integers(0, 9).map(float)), max_size=12))
def test_a_machine_asks_exactly_when_some_row_of_windows_meets_the_rules(means: list[tuple[float, float]]) -> None:
    seen = windows(*means)
    rows = [tuple(seen[begin : begin + 3]) for begin in range(len(seen) - 2)]
    assert (measured(NEW, *seen).request is not None) == any(RULES.are_met_by(row) for row in rows)
