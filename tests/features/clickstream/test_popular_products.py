"""Alerts about pages with many views."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("clickstream/popular_products.feature")

VISITOR = {"visitor": "key"}


@given(parsers.parse("a page is popular at {views:d} views"))
def threshold(flow: RecordedFlow, views: int) -> None:
    flow.use("popular-products", threshold=views)


@when("these pages are viewed")
def pages_are_viewed(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("page-views", datatable, columns=VISITOR)


@when("these visitors view no page")
def no_page_is_viewed(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("page-views", datatable, columns=VISITOR, constants={"value": {"page": None}})


@then("the alerts are")
def alerts_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("popular-alerts", like=datatable) == datatable


@then("there are no alerts")
def no_alerts(flow: RecordedFlow) -> None:
    assert flow.outputs("popular-alerts") == []
