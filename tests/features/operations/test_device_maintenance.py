"""Maintenance requests for machines that wear out or fall silent."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios(
    "operations/device_maintenance.feature",
    "operations/device_maintenance_silence.feature",
)


@of_feature(
    "operations/what_cannot_be_true.feature",
    "A reading has a temperature and a vibration, which a broken sensor shows below zero",
)
def test_readings() -> None: ...


MACHINE = {"machine": "key"}


@given("machines are monitored")
def machines_are_monitored(flow: RecordedFlow) -> None:
    flow.use("device-maintenance")


@given(parsers.parse("late readings are accepted for {duration}"))
def late_readings_are_accepted(flow: RecordedFlow, duration: str) -> None:
    flow.set(grace_ms=milliseconds(duration))


@given("silence is measured in wall-clock time")
def silence_by_wall_clock(flow: RecordedFlow) -> None:
    flow.set(punctuation="wall")


@when("these readings arrive")
def readings_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("sensor-readings", datatable, columns=MACHINE)


@when(parsers.parse("the {machine} is serviced at {time}"))
def machine_is_serviced(scenario: Scenario, machine: str, time: str) -> None:
    scenario.pipe("services", [{"key": machine, "technician": "Kim", "time": time}])


@then("the maintenance requests are")
def maintenance_requests_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("maintenance-requests", like=datatable, columns=MACHINE) == datatable
    assert scenario.outputs("maintenance-requests", like=datatable, columns={"machine": "device"}) == datatable


@then("there are no maintenance requests")
def no_maintenance_requests(flow: RecordedFlow) -> None:
    assert flow.outputs("maintenance-requests") == []


@then(parsers.parse("{count:d} reading is set aside"))
def readings_are_set_aside(flow: RecordedFlow, count: int) -> None:
    assert len(flow.outputs("unsound-readings")) == count
