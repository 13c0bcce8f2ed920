"""Tables, as the list of the shares that moved most shows them."""

from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, rows

scenarios("tables")


@given(parsers.parse("the first {n:d} movers"))
def movers(scenario: Scenario, n: int) -> None:
    scenario.use("top-movers", n=n)


@given(parsers.parse("the first {n:d} movers of each sector"))
def movers_of_sectors(scenario: Scenario, n: int) -> None:
    scenario.use("top-movers", n=n, group_by="sector")


@when("these days are told")
def days(scenario: Scenario, datatable: Table) -> None:
    for number, row in enumerate(rows(datatable)):
        day: dict[str, Any] | None = None
        if row["open"]:
            day = {"open": float(row["open"]), "close": float(row["close"])}
            if row["sector"]:
                day["sector"] = row["sector"]
        scenario.arrives("daily-prices", row["share"], day, number)


@then(parsers.parse("the list of {group} is at last {shares}"))
def list_at_last(scenario: Scenario, group: str, shares: str) -> None:
    assert _lists(scenario, group)[-1] == ([] if shares == "empty" else shares.split())


@then(parsers.parse("the lists of {group} are"))
def all_lists(scenario: Scenario, group: str, datatable: Table) -> None:
    assert _lists(scenario, group) == [row["shares"].split() for row in rows(datatable)]


def _lists(scenario: Scenario, group: str) -> list[list[str]]:
    return [[share["symbol"] for share in record["value"]] for record in scenario.left("top-movers") if record["key"] == group]
