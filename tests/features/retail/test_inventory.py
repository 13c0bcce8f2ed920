"""The stock of each store."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("retail/inventory.feature")


@of_feature("retail/what_cannot_be_true.feature", "An item is restocked or sold, in a store, by at least one piece")
def test_what_is_no_item() -> None: ...


@given("the stock of each store is tracked")
def stock_is_tracked(flow: RecordedFlow) -> None:
    flow.use("inventory")


@when("these items arrive")
def items_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("items", datatable, columns={"store": "store_name"})


@then(parsers.parse("the stock of {store} is"))
def stock_is(flow: RecordedFlow, store: str, datatable: Table) -> None:
    expected = {row["sku"]: int(row["pieces"]) for row in rows(datatable)}
    found = [record.value.stock for record in flow.outputs("store-inventory") if record.key == store]
    assert found[-1] == expected
    if "INVENTORY" in flow.results.stores:  # a run over a log in memory shows no stores
        assert {row.key: row.value.stock for row in flow.store("INVENTORY")}[store] == expected


@then(parsers.parse("the reports of missing items from {store} are"))
def reports_are(flow: RecordedFlow, store: str, datatable: Table) -> None:
    reports = [record.value for record in flow.outputs("negative-stock") if record.key == store]
    missing = [report and ", ".join(f"{pieces} {sku}" for sku, pieces in report.missing.items()) for report in reports]
    assert missing == [None if row["missing"] == "nothing" else row["missing"] for row in rows(datatable)]
