import math
from dataclasses import replace
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.operations import (
    Device,
    MaintenanceRequest,
    MaintenanceRules,
    MeanReadings,
    Reading,
    ReadingSums,
    Service,
)

RULES = MaintenanceRules(rising_windows=3, temperature_rise=3.0, vibration_rise=0.5, silence_ms=600)
NEW = Device(last_heard=0, waiting_since=0)

readings = st.builds(Reading, st.integers(-50, 200).map(float), st.integers(0, 50).map(float))


def windows(*means: tuple[float, float], start: int = 0, size: int = 100) -> list[MeanReadings]:
    """Return consecutive windows with these means of (temperature, vibration)."""
    return [
        MeanReadings(start + index * size, start + (index + 1) * size, temperature, vibration)
        for index, (temperature, vibration) in enumerate(means)
    ]


def measured(device: Device, *seen: MeanReadings) -> Device:
    return reduce(lambda machine, window: machine.measured("m1", window, RULES), seen, device)


RISE = windows((60.0, 1.0), (61.0, 1.25), (63.0, 1.5))
REQUEST = MaintenanceRequest("m1", "rising", 0)


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
        (Reading(-273.15, 1.0), False),
    ],
)
def test_a_reading_is_sound_if_working_sensors_can_show_its_values(reading: Reading, sound: bool) -> None:
    assert reading.is_sound is sound


@given(st.lists(readings, min_size=1))
def test_the_means_of_a_window_are_those_of_its_readings(seen: list[Reading]) -> None:
    means = reduce(ReadingSums.add, seen, ReadingSums()).over(100, 200)
    assert (means.start, means.end) == (100, 200)
    assert means.temperature * len(seen) == pytest.approx(sum(reading.temperature for reading in seen))
    assert means.vibration * len(seen) == pytest.approx(sum(reading.vibration for reading in seen))


def test_maintenance_is_needed_at_the_last_of_enough_windows_in_which_both_means_rise() -> None:
    assert [measured(NEW, *RISE[:count]).request for count in range(4)] == [None, None, None, REQUEST]


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
        "temperature rises too little",
        "vibration rises too little",
        "temperature falls",
        "vibration falls",
        "temperature stays",
        "temperature stays at first",
        "vibration stays at first",
        "vibration stays",
    ],
)
def test_no_maintenance_is_needed_unless_both_means_rise_enough(means: list[tuple[float, float]]) -> None:
    assert measured(NEW, *windows(*means)).request is None


def test_windows_that_are_not_consecutive_do_not_count_together() -> None:
    first, _, last = RISE
    later = replace(last, start=300, end=400)
    assert measured(NEW, first, RISE[1], later).request is None
    assert measured(NEW, first, last).request is None


def test_only_the_latest_windows_count_and_are_kept() -> None:
    fall_and_rise = windows((70.0, 3.0), (60.0, 1.0), (61.0, 1.25), (63.0, 1.5))
    device = measured(NEW, *fall_and_rise)
    assert device.request == MaintenanceRequest("m1", "rising", 100)
    assert device.windows == tuple(fall_and_rise[1:])


def test_an_existing_request_is_kept() -> None:
    worn = measured(NEW, *RISE)
    worse = windows((66.0, 2.0), (70.0, 3.0), start=300)
    assert measured(worn, *worse).request == REQUEST
    assert worn.checked_for_silence("m1", 1_000_000, RULES) == worn


def test_a_service_settles_the_request_and_deletes_older_windows() -> None:
    serviced = measured(NEW, *RISE).serviced(300, 300)
    assert (serviced.request, serviced.windows, serviced.served_at) == (None, (), 300)
    assert measured(serviced, *windows((66.0, 2.0), (70.0, 3.0), start=300)).request is None
    again = windows((66.0, 2.0), (70.0, 3.0), (74.0, 4.0), start=300)
    assert measured(serviced, *again).request == MaintenanceRequest("m1", "rising", 300)


def test_windows_that_started_before_the_service_are_ignored_although_they_close_after_it() -> None:
    serviced = NEW.serviced(250, 250)
    assert measured(serviced, *RISE) == serviced
    assert measured(serviced, *windows((1.0, 1.0), start=250)).windows == tuple(windows((1.0, 1.0), start=250))


def test_a_service_keeps_the_windows_that_started_after_it() -> None:
    assert measured(NEW, *RISE[:2]).serviced(100, 100).windows == (RISE[1],)


def test_a_service_before_the_first_sign_keeps_the_request() -> None:
    rising_since_100 = measured(NEW, *windows((60.0, 1.0), (61.0, 1.25), (63.0, 1.5), start=100))
    assert rising_since_100.serviced(99, 500).request == MaintenanceRequest("m1", "rising", 100)
    assert rising_since_100.serviced(100, 500).request is None


def test_the_latest_service_counts_whatever_the_order_of_arrival() -> None:
    assert NEW.serviced(300, 300).serviced(200, 310).served_at == 300


def test_maintenance_is_needed_after_silence_for_longer_than_the_limit() -> None:
    heard = NEW.heard_from(1_000, 1_000)
    assert heard.checked_for_silence("m1", 1_600, RULES).request is None
    assert heard.checked_for_silence("m1", 1_601, RULES).request == MaintenanceRequest("m1", "silent", 1_000)


def test_silence_is_also_counted_from_a_service() -> None:
    silent = NEW.checked_for_silence("m1", 601, RULES)
    serviced = silent.serviced(700, 700)
    assert serviced.request is None
    assert serviced.checked_for_silence("m1", 1_300, RULES).request is None
    assert serviced.checked_for_silence("m1", 1_301, RULES).request == MaintenanceRequest("m1", "silent", 700)


def test_silence_is_measured_by_the_clock_and_reported_with_the_event_time() -> None:
    heard = NEW.heard_from(5, 2_000)
    assert heard.checked_for_silence("m1", 2_600, RULES).request is None
    assert heard.checked_for_silence("m1", 2_601, RULES).request == MaintenanceRequest("m1", "silent", 5)


@given(st.integers(0, 9_999), st.integers(0, 9_999))
def test_hearing_late_from_a_machine_does_not_move_its_times_back(one: int, two: int) -> None:
    assert NEW.heard_from(one, one).heard_from(two, two) == NEW.heard_from(max(one, two), max(one, two))


@given(st.lists(st.tuples(st.integers(0, 100).map(float), st.integers(0, 9).map(float)), max_size=12))
def test_maintenance_is_needed_exactly_when_some_consecutive_windows_meet_the_rules(means: list[tuple[float, float]]) -> None:
    seen = windows(*means)
    runs = [tuple(seen[begin : begin + 3]) for begin in range(len(seen) - 2)]
    assert (measured(NEW, *seen).request is not None) == any(RULES.are_met_by(run) for run in runs)


def test_an_observation_is_a_reading_the_means_of_a_window_or_a_service() -> None:
    heard = NEW.observe("m1", Reading(60.0, 1.0), 7, 9, RULES)
    assert heard == Device(last_heard=7, waiting_since=9)
    assert heard.observe("m1", RISE[0], 100, 100, RULES) == Device(7, 9, windows=(RISE[0],))
    assert measured(NEW, *RISE[:2]).observe("m1", RISE[2], 300, 300, RULES).request == REQUEST
    assert heard.observe("m1", Service("Kim"), 20, 30, RULES) == Device(20, 30, served_at=20)


def test_a_request_is_new_if_there_was_none_before() -> None:
    worn = measured(NEW, *RISE)
    assert worn.new_request(NEW) == REQUEST
    assert worn.new_request(worn) is None
    assert NEW.new_request(NEW) is None


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ((1,), "rising_windows is 1; it must be a whole number of at least 2"),
        ((2, -1.0), "temperature_rise is -1.0; it must be a number of at least 0"),
        ((2, 1.0, 0.5, -1), "silence_ms is -1; it must be a whole number of at least 0"),
    ],
)
def test_rules_that_cannot_hold_cannot_be_created(rules: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        MaintenanceRules(*rules)
