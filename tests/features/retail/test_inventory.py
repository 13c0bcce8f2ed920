"""The stock of each store."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("retail/inventory.feature")


@given("the stock of each store is tracked")
def stock_is_tracked(flow: RecordedFlow) -> None:
    flow.use("inventory")


@given("stock below zero is reported")
def stock_below_zero_is_reported(flow: RecordedFlow) -> None:
    flow.use("inventory", report_negative=True)


@when("these items arrive")
def items_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("items", datatable, columns={"store": "store_name"})


@then(parsers.parse("the stock of {store} is"))
def stock_is(flow: RecordedFlow, store: str, datatable: Table) -> None:
    expected = {row["sku"]: int(row["pieces"]) for row in rows(datatable)}
    found = [record.value.stock for record in flow.outputs("store-inventory") if record.key == store]
    assert found[-1] == expected
    assert {row.key: row.value for row in flow.store("INVENTORY")}[store] == expected


@then(parsers.parse("the reports of missing items from {store} are"))
def reports_are(flow: RecordedFlow, store: str, datatable: Table) -> None:
    reports = [record.value for record in flow.outputs("negative-stock") if record.key == store]
    missing = [report and ", ".join(f"{pieces} {sku}" for sku, pieces in report.missing.items()) for report in reports]
    assert missing == [None if row["missing"] == "nothing" else row["missing"] for row in rows(datatable)]


@then("no store has any stock")
def no_stock(flow: RecordedFlow) -> None:
    assert flow.outputs("store-inventory") == []
