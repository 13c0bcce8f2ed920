"""Purchases enriched from a table that follows a database's change events."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("retail/cdc_table.feature")


@of_feature("retail/what_cannot_be_true.feature", "A purchase has a customer, an item and an amount above 0")
def test_what_is_no_purchase() -> None: ...


CHANGE = {"customer": "key", "lsn": "source.lsn", "id": "after.id", "name": "after.name", "city": "after.city"}


@given("the table of customers is maintained from change events")
def table_is_maintained(flow: RecordedFlow) -> None:
    flow.use("cdc-table")


@when("these changes arrive")
def changes_arrive(scenario: Scenario, datatable: Table) -> None:
    changes = [{**row, "customer": row["id"], "id": row["id"] if row["name"] else ""} for row in rows(datatable)]
    scenario.pipe("customer-changes", changes, columns=CHANGE)


@when(parsers.parse("an update of {customer} arrives with the row of {other}, {name}"))
def update_with_another_row(scenario: Scenario, customer: str, other: str, name: str) -> None:
    change = {"customer": customer, "op": "u", "lsn": "9", "id": other, "name": name}
    scenario.pipe("customer-changes", [change], columns=CHANGE)


@when(parsers.parse("the row of {customer} is cleared"))
def row_is_cleared(scenario: Scenario, customer: str) -> None:
    scenario.pipe("customer-changes", [{"customer": customer}], columns=CHANGE)


@when(parsers.parse("{customer} buys a {item}"))
def customer_buys(scenario: Scenario, customer: str, item: str) -> None:
    scenario.pipe("purchases", [{"customer": customer, "item": item, "amount": 10.0}])


@then("the enriched purchases are")
def purchases_are(scenario: Scenario, datatable: Table) -> None:
    found = scenario.outputs("customer-purchases", like=datatable, columns={"customer": "key"})
    assert found == datatable


@then("the rejected changes are")
def rejected_changes_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("rejected-changes", like=datatable, columns={"id": "key"}) == datatable
