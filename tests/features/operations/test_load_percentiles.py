"""Percentiles of the load of services, within 1 % of what was measured."""

import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("operations/load_percentiles.feature")


@given("the load is summed up every 10 seconds, and a 99th percentile above 90 % is reported")
def load_is_summed_up(flow: RecordedFlow) -> None:
    flow.use("load-percentiles")


@when(parsers.parse("the loads {loads} % of {service} arrive within 10 seconds"))
def loads_arrive(scenario: Scenario, loads: str, service: str) -> None:
    measured = [
        {"service": service, "load": load, "key": f"h{at}", "time": f"{at} s"} for at, load in enumerate(loads.split(", "))
    ]
    scenario.pipe("service-loads", measured)


@when("10 seconds pass")
def seconds_pass(scenario: Scenario) -> None:
    scenario.pipe("service-loads", [{"key": "h9", "service": "mail", "load": "1", "time": "20 s"}])


@then(parsers.parse("the load of {service} is about {median:d} % in the median and {p99:d} % in the 99th percentile"))
def load_is_about(flow: RecordedFlow, service: str, median: int, p99: int) -> None:
    (found,) = (record.value for record in flow.outputs("load-percentiles") if record.key.key == service)
    assert found.median == pytest.approx(median, rel=0.01)
    assert found.p99 == pytest.approx(p99, rel=0.01)


@then("the reported overloads are about")
def overloads_are(flow: RecordedFlow, datatable: Table) -> None:
    found = {record.key: record.value.p99 for record in flow.outputs("overloads")}
    assert found == pytest.approx({row["service"]: float(row["99th percentile"]) for row in rows(datatable)}, rel=0.01)


@then("no overload is reported")
def no_overload(flow: RecordedFlow) -> None:
    assert flow.outputs("overloads") == []
