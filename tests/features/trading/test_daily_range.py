"""Price ranges by instrument and day."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("trading/daily_range.feature")

COLUMNS = {
    "instrument": "key",
    "from": "window.start",
    "to": "window.end",
    "lowest": "min",
    "highest": "max",
    "prices": "count",
}


@given(parsers.parse("prices are summarized by day in {zone}"))
def prices_are_summarized(flow: RecordedFlow, zone: str) -> None:
    flow.use("daily-range", zone=zone)


@given(parsers.parse("late prices are accepted for {duration}"))
def late_prices_are_accepted(flow: RecordedFlow, duration: str) -> None:
    flow.set(grace_ms=milliseconds(duration))


@when("these prices arrive")
def prices_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("prices", datatable, columns=COLUMNS)


@then("the daily ranges are")
def daily_ranges_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.latest("daily-ranges", like=datatable, columns=COLUMNS) == datatable
