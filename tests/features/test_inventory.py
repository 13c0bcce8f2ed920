"""The inventory, as a shopkeeper tells it."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, rows

scenarios("inventory")


@given("the inventory")
def inventory(scenario: Scenario) -> None:
    scenario.use("inventory")


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


@then("no stock is told")
def nothing_told(scenario: Scenario) -> None:
    assert scenario.left("store-inventory") == []
