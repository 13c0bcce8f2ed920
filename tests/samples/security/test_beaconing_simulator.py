from collections import Counter

import pytest

from eddyline.application.samples.security.simulator import KNOWN, SITES
from eddyline.application.samples.simulation.events import HOUR, MINUTE, SECOND, START_MS
from tests.samples.events import by_key, gaps
from tests.samples.simulated import simulate

KNOWN_NAMES = {destination for destination, _ in KNOWN}


def test_known_destinations_are_sent_at_the_start_without_delay() -> None:
    known = [
        event for event in simulate("beaconing", hosts=1, infected=0, out_of_order=0.9) if event.topic == "known-destinations"
    ]
    assert [(event.key, event.value) for event in known] == list(KNOWN)
    assert {event.timestamp for event in known} == {START_MS}


def test_the_key_of_a_call_is_its_host_and_the_timestamp_is_when_it_happened() -> None:
    calls = by_key(simulate("beaconing", hosts=12, infected=0), "connections")
    assert calls.keys() == {f"host-{number:02}" for number in range(1, 13)}
    assert all(call.timestamp == call.value.at for of_host in calls.values() for call in of_host)


def test_only_infected_hosts_call_a_destination_of_their_own() -> None:
    calls = by_key(simulate("beaconing", hosts=20, infected=5), "connections")
    homes = {
        host: {call.value.destination for call in of_host} - {*SITES, *KNOWN_NAMES}
        for host, of_host in calls.items()
        if not {call.value.destination for call in of_host} <= {*SITES, *KNOWN_NAMES}
    }
    assert homes.keys() == {f"host-{number:02}" for number in range(1, 6)}
    names = [name for (name,) in homes.values()]
    assert len(set(names)) == 5
    assert all(len(name) == 12 + len(".example") and name.endswith(".example") for name in names)
    assert not set("aeiou") & set("".join(name.removesuffix(".example") for name in names))


def test_programs_call_every_four_to_fifteen_minutes_with_a_delay_of_up_to_a_twentieth_of_that() -> None:
    intervals = []
    for host in by_key(simulate("beaconing", hosts=100, infected=100, out_of_order=0.0), "connections").values():
        regular = [call for call in host if call.value.destination not in SITES]
        for destination in {call.value.destination for call in regular}:
            calls = [call for call in regular if call.value.destination == destination]
            interval = sum(gaps(calls)) / len(gaps(calls))
            assert all(abs(gap - interval) < 0.06 * interval for gap in gaps(calls))
            assert calls[0].timestamp - START_MS <= 1.06 * interval
            assert START_MS + 12 * HOUR - calls[-1].timestamp <= 1.06 * interval
            intervals.append(interval)
    assert len(intervals) == 400
    assert 3.95 * MINUTE < min(intervals) < 4.2 * MINUTE
    assert 14.8 * MINUTE < max(intervals) < 15.05 * MINUTE


def test_the_first_site_is_twice_as_popular_as_the_second() -> None:
    calls = (call for call in simulate("beaconing", hosts=50, infected=0) if call.topic == "connections")
    visited = Counter(call.value.destination for call in calls)
    assert visited[SITES[0]] / visited[SITES[1]] == pytest.approx(2, rel=0.1)
    assert {*SITES, *KNOWN_NAMES} == visited.keys()


def test_people_make_a_few_calls_about_every_ten_minutes() -> None:
    hosts = by_key(simulate("beaconing", hosts=100, infected=0, out_of_order=0.0), "connections")
    sites = [[call for call in of_host if call.value.destination in SITES] for of_host in hosts.values()]
    assert sum(map(len, sites)) == pytest.approx(3 * 100 * 12 * HOUR / (8 * MINUTE + 3 * 30.5 * SECOND), rel=0.05)
    between = [gap for of_host in sites for gap in gaps(of_host)]
    assert SECOND <= min(between) < 1.1 * SECOND
    assert all(of_host[-1].timestamp < START_MS + 12 * HOUR + 5 * MINUTE for of_host in sites)
    assert all(of_host[-1].timestamp > START_MS + 10 * HOUR for of_host in sites)
