"""Large sales, and the messages about them."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.application.samples.sales.alerts import LARGE_SALES
from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("sales/large_sales.feature", "sales/what_cannot_be_true.feature")

COLUMNS = {"person": "key"}


@given(parsers.parse("sales over {limit:d} are reported"))
def sales_are_reported(flow: RecordedFlow, limit: int) -> None:
    flow.use("large-sales", limit=float(limit))


@given("these sales people are known")
@when("these sales people are known")
def sales_people_are_known(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("sales-people", datatable, columns=COLUMNS)


@when("these sales are made")
def sales_are_made(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("sales", datatable, columns=COLUMNS)


@then("the large sales are")
def large_sales_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("large-sales", like=datatable, columns=COLUMNS) == datatable


@then("these messages are sent")
def messages_are_sent(flow: RecordedFlow, datatable: Table) -> None:
    sent: dict[str | None, list[str]] = {}
    for output in flow.outputs("large-sales"):
        message = LARGE_SALES.message(output.key, output.value)
        assert callable(LARGE_SALES.to)
        sent.setdefault(message.identity, [str(LARGE_SALES.to(output.value)), message.subject])
    assert [["to", "about"], *sent.values()] == datatable
