from collections import Counter

from eddyline.application.samples.operations.simulator import simulate_log_triage
from eddyline.application.samples.simulation.events import MINUTE, START_MS
from tests.samples.events import gaps


def test_entries_are_as_many_as_asked_for_up_to_a_second_and_a_half_apart() -> None:
    entries = list(simulate_log_triage(entries=20_000))
    assert len(entries) == 20_000
    assert entries[0].timestamp == START_MS
    assert (min(gaps(entries)), max(gaps(entries))) == (1, 1_500)


def test_an_entry_is_sent_under_its_service() -> None:
    entries = list(simulate_log_triage())
    assert all(entry.key == entry.value["service"] for entry in entries)
    assert len({entry.key for entry in entries}) == 6
    assert {entry.value["ms"] for entry in simulate_log_triage(entries=20_000)} == set(range(1, 901))


def test_without_incidents_nothing_goes_wrong() -> None:
    severities = Counter(entry.value["severity"] for entry in simulate_log_triage(incidents=0))
    assert severities.keys() == {"DEBUG", "INFO", "WARN"}
    assert severities["INFO"] > 1.5 * severities["DEBUG"]


def test_each_incident_troubles_one_service_for_two_to_five_minutes_at_equal_steps() -> None:
    lasted = []
    for seed in range(40):
        entries = list(simulate_log_triage(seed=seed, entries=2_000, incidents=3))
        steps = [entries[begin : begin + 500] for begin in range(0, 2_000, 500)]
        assert [entry for entry in steps[0] if entry.value["severity"] == "ERROR"] == []
        for step in steps[1:]:
            errors = [entry for entry in step if entry.value["severity"] == "ERROR"]
            assert len({entry.key for entry in errors}) == 1
            lasted.append(errors[-1].timestamp - step[0].timestamp)
    assert 1.5 * MINUTE < min(lasted) < 2.5 * MINUTE
    assert 4.8 * MINUTE < max(lasted) <= 5 * MINUTE


def test_a_service_in_trouble_mostly_writes_errors_and_never_that_it_works_as_ever() -> None:
    for seed in range(20):
        entries = list(simulate_log_triage(seed=seed, entries=1_000, incidents=1))[500:]
        errors = [number for number, entry in enumerate(entries) if entry.value["severity"] == "ERROR"]
        troubled = [entry for entry in entries[: errors[-1] + 1] if entry.key == entries[errors[-1]].key]
        assert len(errors) / len(troubled) > 0.3
        assert not {"cache hit", "slow answer", "user signed in"} & {entry.value["message"] for entry in troubled}


def test_incidents_come_whether_or_not_they_part_the_entries_evenly() -> None:
    entries = list(simulate_log_triage(entries=1_000, incidents=2))
    for begin in (333, 666):
        assert "ERROR" in {entry.value["severity"] for entry in entries[begin : begin + 333]}


def test_more_incidents_than_entries_leave_no_time_for_trouble() -> None:
    assert len(list(simulate_log_triage(entries=2, incidents=5))) == 2
