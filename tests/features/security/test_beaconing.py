"""Hosts that call a destination at regular intervals."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("security/beaconing.feature")


@of_feature("security/what_cannot_be_true.feature", "A connection is to a destination, at a time")
def test_connections() -> None: ...


CALL = {"host": "key", "time": ("timestamp", "value.at")}
BEACON = {"interval": "interval_ms"}


@given("the calls of each host are checked by the hour")
def calls_are_checked(flow: RecordedFlow) -> None:
    flow.use("beaconing", window_ms=3_600_000, grace_ms=60_000, least_calls=5, most_variation=0.1)


@given(parsers.parse("{destination} is a known destination"))
def destination_is_known(scenario: Scenario, destination: str) -> None:
    destination_becomes_known(scenario, destination, "0 min")


@when(parsers.parse("{destination} becomes a known destination at {time}"))
def destination_becomes_known(scenario: Scenario, destination: str, time: str) -> None:
    scenario.pipe("known-destinations", [{"key": destination, "owner": "IT", "time": time}])


@when(parsers.re(r"(?P<host>\S+) calls (?P<destination>\S+) at (?P<time>.+)"))
def host_calls(scenario: Scenario, host: str, destination: str, time: str) -> None:
    scenario.pipe("connections", [{"host": host, "destination": destination, "time": time}], columns=CALL)


@when(parsers.parse("{host} calls {destination} {count:d} times from {start}, every {interval}"))
def host_calls_regularly(scenario: Scenario, host: str, destination: str, count: int, start: str, interval: str) -> None:
    for number in range(count):
        host_calls(scenario, host, destination, f"{milliseconds(start) + number * milliseconds(interval)} ms")


@then("the beacons are")
def beacons_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("beacons", like=datatable, columns=BEACON) == datatable
    assert scenario.outputs("beacons", like=datatable, columns={**BEACON, "destination": "key"}) == datatable


@then("there are no beacons")
def no_beacons(flow: RecordedFlow) -> None:
    assert flow.outputs("beacons") == []
