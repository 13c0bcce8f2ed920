"""Counts of views by product, reported at the ticks of a clock."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("retail/product_counter.feature")

COLUMNS = {"product": "key", "count": "value"}


@given("counts are reported every second of stream time")
def by_stream_time(flow: RecordedFlow) -> None:
    flow.use("product-counter", punctuation="stream")


@given("counts are reported every second of wall-clock time")
def by_wall_clock_time(flow: RecordedFlow) -> None:
    flow.use("product-counter", punctuation="wall")


@when("these products are viewed")
def products_are_viewed(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("product-views", datatable, columns=COLUMNS, constants={"value": "view"})


@when(parsers.parse("{product} is withdrawn"))
def product_is_withdrawn(scenario: Scenario, product: str) -> None:
    scenario.pipe("product-views", [{"key": product, "time": "200 ms"}])


@then("the reported counts are")
def counts_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("product-counts", like=datatable, columns=COLUMNS) == datatable


@then("no counts are reported")
def no_counts(flow: RecordedFlow) -> None:
    assert flow.outputs("product-counts") == []
