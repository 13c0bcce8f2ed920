from collections import Counter

from eddyline.application.samples.simulation.events import MINUTE, START_MS
from tests.samples.events import gaps
from tests.samples.simulated import simulate


def test_the_number_of_entries_is_the_configured_one_and_they_are_up_to_1_500_ms_apart() -> None:
    entries = simulate("log-triage", entries=20_000)
    assert len(entries) == 20_000
    assert entries[0].timestamp == START_MS
    assert (min(gaps(entries)), max(gaps(entries))) == (1, 1_500)


def test_the_key_of_an_entry_is_its_service() -> None:
    entries = simulate("log-triage")
    assert all(entry.key == entry.value.service for entry in entries)
    assert len({entry.key for entry in entries}) == 6


def test_without_incidents_there_are_no_errors() -> None:
    severities = Counter(entry.value.severity for entry in simulate("log-triage", incidents=0))
    assert severities.keys() == {"DEBUG", "INFO", "WARN"}
    assert severities["INFO"] > 1.5 * severities["DEBUG"]


def test_each_incident_is_of_one_service_for_two_to_five_minutes_and_incidents_are_equally_spaced() -> None:
    durations = []
    for seed in range(40):
        entries = simulate("log-triage", seed=seed, entries=2_000, incidents=3)
        parts = [entries[begin : begin + 500] for begin in range(0, 2_000, 500)]
        assert [entry for entry in parts[0] if entry.value.severity == "ERROR"] == []
        for part in parts[1:]:
            errors = [entry for entry in part if entry.value.severity == "ERROR"]
            assert len({entry.key for entry in errors}) == 1
            durations.append(errors[-1].timestamp - part[0].timestamp)
    assert 1.5 * MINUTE < min(durations) < 2.5 * MINUTE
    assert 4.8 * MINUTE < max(durations) <= 5 * MINUTE


def test_a_service_in_trouble_writes_many_errors_and_no_entries_of_normal_operation() -> None:
    for seed in range(20):
        entries = simulate("log-triage", seed=seed, entries=1_000, incidents=1)[500:]
        errors = [number for number, entry in enumerate(entries) if entry.value.severity == "ERROR"]
        troubled = [entry for entry in entries[: errors[-1] + 1] if entry.key == entries[errors[-1]].key]
        assert len(errors) / len(troubled) > 0.3
        assert not {"cache hit", "slow answer", "user signed in"} & {entry.value.message for entry in troubled}


def test_incidents_occur_although_their_number_does_not_divide_the_number_of_entries() -> None:
    entries = simulate("log-triage", entries=1_000, incidents=2)
    for begin in (333, 666):
        assert "ERROR" in {entry.value.severity for entry in entries[begin : begin + 333]}


def test_there_may_be_more_incidents_than_entries() -> None:
    assert len(simulate("log-triage", entries=2, incidents=5)) == 2
