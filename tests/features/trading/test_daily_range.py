"""Price ranges by instrument and day."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

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


@of_feature("trading/what_cannot_be_true.feature", "A price is above 0")
def test_what_is_no_price() -> None: ...


@of_feature("operating/restarts.feature", "The day goes on after a restart")
def test_restart() -> None: ...


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
