"""The maintenance of machines, as the head of a workshop tells it."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, milliseconds, rows

scenarios("device_maintenance")

Table = list[list[str]]


@given("the machines are watched")
def watched(scenario: Scenario) -> None:
    scenario.use("device-maintenance")


@given(parsers.parse("windows take late readings for {duration}"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use("device-maintenance", grace_ms=milliseconds(duration))


@given("silence is measured by the wall clock")
def wall_clock(scenario: Scenario) -> None:
    scenario.use("device-maintenance", punctuation="wall")


@when("these readings come in")
def readings(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        reading = {"temperature": float(row["temperature"]), "vibration": float(row["vibration"])}
        scenario.arrives("sensor-readings", row["machine"], reading, milliseconds(row["at"]))


@when(parsers.parse("the {machine} is served at {time}"))
def served(scenario: Scenario, machine: str, time: str) -> None:
    scenario.arrives("services", machine, {"technician": "Kim"}, milliseconds(time))


@when(parsers.parse("{duration} pass"))
def time_passes(scenario: Scenario, duration: str) -> None:
    scenario.wall_clock_moves(milliseconds(duration))


@then("maintenance is called for")
def called_for(scenario: Scenario, datatable: Table) -> None:
    assert [
        (record["key"], record["value"]["device"], record["value"]["sign"], record["value"]["since"])
        for record in scenario.left("maintenance-requests")
    ] == [(row["machine"], row["machine"], row["sign"], milliseconds(row["since"])) for row in rows(datatable)]


@then("no maintenance is called for")
def nothing_called_for(scenario: Scenario) -> None:
    assert scenario.left("maintenance-requests") == []


@then(parsers.parse("{count:d} reading is set apart"))
def set_apart(scenario: Scenario, count: int) -> None:
    assert len(scenario.left("unsound-readings")) == count
