"""The inventory, as a shopkeeper tells it."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, rows

scenarios("inventory")


@given("the inventory")
def inventory(scenario: Scenario) -> None:
    scenario.use("inventory")


@given("stores report what they have sold beyond what they had")
def reporting(scenario: Scenario) -> None:
    scenario.use("inventory", report_negative=True)


@when("these items come in")
def items(scenario: Scenario, datatable: Table) -> None:
    for number, row in enumerate(rows(datatable)):
        item = {"storeName": row["store"] or None, "sku": row["sku"], "quantity": int(row["quantity"]), "type": row["type"]}
        scenario.arrives("items", None, item, number)


@then(parsers.parse("{store} has in stock"))
def in_stock(scenario: Scenario, store: str, datatable: Table) -> None:
    expected = {row["sku"]: int(row["pieces"]) for row in rows(datatable)}
    told = [record["value"]["stock"] for record in scenario.left("store-inventory") if record["key"] == store]
    assert told[-1] == expected
    assert {row["key"]: row["value"] for row in scenario.store("INVENTORY")}[store] == expected


@then(parsers.parse("these reports come from {store}"))
def reports(scenario: Scenario, store: str, datatable: Table) -> None:
    told = [record["value"] for record in scenario.left("negative-stock") if record["key"] == store]
    missing = [value and ", ".join(f"{pieces} {sku}" for sku, pieces in value["missing"].items()) for value in told]
    assert missing == [None if row["missing"] == "nothing" else row["missing"] for row in rows(datatable)]


@then("no stock is told")
def nothing_told(scenario: Scenario) -> None:
    assert scenario.left("store-inventory") == []
