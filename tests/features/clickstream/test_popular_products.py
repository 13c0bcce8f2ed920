"""Alerts about pages with many views."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("clickstream/popular_products.feature")


@of_feature("clickstream/what_cannot_be_true.feature", "A view is of a page")
def test_what_is_no_view() -> None: ...


VISITOR = {"visitor": "key"}


@given(parsers.parse("a page is popular at {views:d} views"))
def threshold(flow: RecordedFlow, views: int) -> None:
    flow.use("popular-products", threshold=views)


@when("these pages are viewed")
def pages_are_viewed(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("page-views", datatable, columns=VISITOR)


@then("the alerts are")
def alerts_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("popular-alerts", like=datatable) == datatable
