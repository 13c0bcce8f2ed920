"""A table that follows a database, as those tell it who use it."""

from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, rows

scenarios("cdc_table")

Table = list[list[str]]


@given("the table of customers is kept")
def kept(scenario: Scenario) -> None:
    scenario.use("cdc-table")


@when("these changes come in")
def changes(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        after = {"id": row["id"], "name": row["name"], "city": row["city"]} if row["name"] else None
        _change(scenario, row["id"], row["op"], int(row["place"]), after)


@when(parsers.parse("a change of {customer} to the row of {name} with the id {other} comes in"))
def change_of_another(scenario: Scenario, customer: str, name: str, other: str) -> None:
    _change(scenario, customer, "u", 9, {"id": other, "name": name})


@when(parsers.parse("the log lets go of {customer}"))
def tombstone(scenario: Scenario, customer: str) -> None:
    scenario.arrives("customer-changes", customer, None, 0)


@when(parsers.parse("{customer} buys a {item}"))
def buys(scenario: Scenario, customer: str, item: str) -> None:
    scenario.arrives("purchases", None, {"customer": customer, "item": item, "amount": 10.0}, 0)


@then("these purchases are told")
def told(scenario: Scenario, datatable: Table) -> None:
    assert [
        (record["key"], *(record["value"][field] or "" for field in ("name", "city", "item")))
        for record in scenario.left("customer-purchases")
    ] == [(row["customer"], row["name"], row["city"], row["item"]) for row in rows(datatable)]


@then("these changes are rejected")
def rejected(scenario: Scenario, datatable: Table) -> None:
    assert [(record["key"], record["value"]["reason"]) for record in scenario.left("rejected-changes")] == [
        (row["id"], row["reason"]) for row in rows(datatable)
    ]


def _change(scenario: Scenario, customer: str, op: str, place: int, after: dict[str, Any] | None) -> None:
    change = {"op": op, "before": None, "after": after, "source": {"lsn": place, "connector": "postgresql"}, "ts_ms": 0}
    scenario.arrives("customer-changes", customer, change, 0)
