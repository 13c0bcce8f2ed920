"""Beacons, as those who guard a network tell them."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, milliseconds, rows

scenarios("beaconing")

Table = list[list[str]]


@given("hosts are watched by the hour")
def watched(scenario: Scenario) -> None:
    scenario.use("beaconing", window_ms=3_600_000, grace_ms=60_000, least_calls=5, most_variation=0.1)


@given(parsers.parse("{destination} is known"))
def known(scenario: Scenario, destination: str) -> None:
    becomes_known(scenario, destination, "0 min")


@when(parsers.parse("{destination} becomes known at {time}"))
def becomes_known(scenario: Scenario, destination: str, time: str) -> None:
    scenario.arrives("known-destinations", destination, {"owner": "IT"}, milliseconds(time))


@when(parsers.re(r"(?P<host>\S+) calls (?P<destination>\S+) at (?P<time>.+)"))
def calls(scenario: Scenario, host: str, destination: str, time: str) -> None:
    at = milliseconds(time)
    scenario.arrives("connections", host, {"destination": destination, "at": at}, at)


@when(parsers.re(r"(?P<host>\S+) calls (?P<destination>\S+) (?P<count>\d+) times from (?P<start>.+) on, every (?P<gap>.+)"))
def calls_regularly(scenario: Scenario, host: str, destination: str, count: str, start: str, gap: str) -> None:
    for number in range(int(count)):
        at = milliseconds(start) + number * milliseconds(gap)
        scenario.arrives("connections", host, {"destination": destination, "at": at}, at)


@then("these beacons are reported")
def reported(scenario: Scenario, datatable: Table) -> None:
    beacons = [(record["key"], record["value"]) for record in scenario.left("beacons")]
    assert all(destination == beacon["destination"] for destination, beacon in beacons)
    assert [(beacon["host"], beacon["destination"], beacon["calls"], beacon["intervalMs"]) for _, beacon in beacons] == [
        (row["host"], row["destination"], int(row["calls"]), milliseconds(row["interval"])) for row in rows(datatable)
    ]


@then("no beacon is reported")
def none_reported(scenario: Scenario) -> None:
    assert scenario.left("beacons") == []
