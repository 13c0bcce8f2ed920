from itertools import pairwise

import pytest

from eddyline.application.samples.simulation.events import HOUR, MINUTE, SECOND, START_MS
from tests.samples.events import by_key, gaps
from tests.samples.simulated import simulate

MANY = 200


def test_every_machine_has_a_reading_every_30_seconds_until_the_end() -> None:
    readings = by_key(simulate("device-maintenance", machines=MANY, worn=3, silent=0, hours=1), "sensor-readings")
    starts = [of_machine[0].timestamp - START_MS for of_machine in readings.values()]
    assert readings.keys() == {f"machine-{number:03}" for number in range(1, MANY + 4)}
    assert 0 <= min(starts) < SECOND
    assert 29 * SECOND < max(starts) <= 30 * SECOND
    assert all(set(gaps(of_machine)) == {30 * SECOND} for of_machine in readings.values())
    assert all(0 < START_MS + HOUR - of_machine[-1].timestamp <= 30 * SECOND for of_machine in readings.values())


def test_a_machine_that_works_well_has_about_60_degrees_and_1_mm_per_second_and_no_service() -> None:
    events = simulate("device-maintenance", machines=20, worn=0, silent=0, spoilt=0.0)
    temperatures = [event.value.temperature for event in events]
    vibrations = [event.value.vibration for event in events]
    assert {event.topic for event in events} == {"sensor-readings"}
    assert 59.5 <= min(temperatures) < 59.52
    assert 60.48 < max(temperatures) <= 60.5
    assert 0.9 <= min(vibrations) < 0.905
    assert 1.095 < max(vibrations) <= 1.1


def test_a_worn_machine_gets_hotter_and_vibrates_more_for_half_an_hour_until_it_is_serviced() -> None:
    events = simulate("device-maintenance", machines=0, worn=50, silent=0, spoilt=0.0)
    services = by_key(events, "services")
    for machine, readings in by_key(events, "sensor-readings").items():
        (service,) = services[machine]
        for reading in readings:
            worn_for = reading.timestamp - (service.timestamp - 30 * MINUTE)
            wear = worn_for / (30 * MINUTE) if 0 <= worn_for < 30 * MINUTE else 0
            assert reading.value.temperature == pytest.approx(60 + 20 * wear, abs=0.51)
            assert reading.value.vibration == pytest.approx(1 + 3 * wear, abs=0.101)


def test_a_silent_machine_has_no_readings_for_25_minutes_until_it_is_serviced() -> None:
    events = simulate("device-maintenance", machines=0, worn=0, silent=MANY)
    readings = by_key(events, "sensor-readings")
    for machine, (service,) in by_key(events, "services").items():
        (pause,) = [pair for pair in pairwise(readings[machine]) if pair[1].timestamp - pair[0].timestamp > 30 * SECOND]
        assert pause[0].timestamp < service.timestamp - 25 * MINUTE <= pause[0].timestamp + 30 * SECOND
        assert pause[1].timestamp - 30 * SECOND < service.timestamp <= pause[1].timestamp


@pytest.mark.parametrize(("worn", "silent", "lasts"), [(MANY, 0, 30 * MINUTE), (0, MANY, 25 * MINUTE)], ids=["worn", "silent"])
def test_trouble_starts_ten_to_twenty_five_minutes_after_the_start(worn: int, silent: int, lasts: int) -> None:
    events = simulate("device-maintenance", machines=0, worn=worn, silent=silent, hours=1)
    starts = [of_machine[0].timestamp - lasts - START_MS for of_machine in by_key(events, "services").values()]
    assert len(starts) == MANY
    assert 10 * MINUTE <= min(starts) < 10.5 * MINUTE
    assert 24.5 * MINUTE < max(starts) <= 25 * MINUTE


def test_machines_are_numbered_by_kind_and_serviced_by_one_of_three_technicians() -> None:
    events = simulate("device-maintenance", machines=2, worn=30, silent=20)
    services = by_key(events, "services")
    assert services.keys() == {f"machine-{number:02}" for number in range(3, 53)}
    assert {event.value.technician for (event,) in services.values()} == {"Kim", "Lea", "Max"}
    silent = {name for name, readings in by_key(events, "sensor-readings").items() if max(gaps(readings)) > MINUTE}
    assert silent == {f"machine-{number:02}" for number in range(33, 53)}


@pytest.mark.parametrize("spoilt", [0.0, 0.1, 1.0])
def test_the_fraction_of_unsound_readings_is_the_configured_one(spoilt: float) -> None:
    readings = [event.value for event in simulate("device-maintenance", machines=20, worn=0, silent=0, spoilt=spoilt)]
    unsound = [reading for reading in readings if not reading.is_sound]
    assert len(unsound) / len(readings) == pytest.approx(spoilt, abs=0.02)
    assert len({str(reading) for reading in unsound}) == (2 if spoilt else 0)
