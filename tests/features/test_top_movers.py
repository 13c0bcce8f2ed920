"""The top movers, as an investor reads them."""

from datetime import datetime
from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, rows

scenarios("top_movers")


@given("the top movers")
def movers(scenario: Scenario) -> None:
    scenario.use("top-movers")


@given(parsers.parse("the {n:d} top movers"))
def first_movers(scenario: Scenario, n: int) -> None:
    scenario.use("top-movers", n=n)


@given(parsers.parse("the {n:d} top movers of each sector"))
def movers_of_sectors(scenario: Scenario, n: int) -> None:
    scenario.use("top-movers", n=n, group_by="sector")


@given(parsers.parse("the {n:d} top movers of each day in {zone}"))
def movers_of_days(scenario: Scenario, n: int, zone: str) -> None:
    scenario.use("top-movers", kind="ticks", n=n, zone=zone)


@when("these days are told")
def days(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        day: dict[str, Any] = {"open": float(row["open"]), "close": float(row["close"])}
        if row.get("sector"):
            day["sector"] = row["sector"]
        scenario.arrives("daily-prices", row["share"], day, 0)


@when(parsers.parse("the day of {share} is withdrawn"))
def withdrawn(scenario: Scenario, share: str) -> None:
    scenario.arrives("daily-prices", share, None, 0)


@when("these prices come in")
def prices(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        at = round(datetime.fromisoformat(row["at"]).timestamp() * 1_000)
        scenario.arrives("daily-prices", row["share"], {"price": float(row["price"])}, at)


@then("the top movers are told as")
def told(scenario: Scenario, datatable: Table) -> None:
    assert _lists(scenario, "all") == [row["shares"] for row in rows(datatable)]


@then(parsers.parse("the top movers of {group} were told as"))
def told_of_group(scenario: Scenario, group: str, datatable: Table) -> None:
    assert _lists(scenario, group) == [row["shares"] for row in rows(datatable)]


@then(parsers.parse("the top movers are at last {shares}"))
def at_last(scenario: Scenario, shares: str) -> None:
    assert _last(scenario, "all") == shares


@then(parsers.parse("the top movers of {group} are at last {shares}"))
def at_last_of_group(scenario: Scenario, group: str, shares: str) -> None:
    assert _last(scenario, group) == shares


def _lists(scenario: Scenario, group: str) -> list[str]:
    return [
        ", ".join(f"{share['symbol']} {share['changePercent']:+.1f}%" for share in record["value"])
        for record in scenario.left("top-movers")
        if record["key"] == group
    ]


def _last(scenario: Scenario, group: str) -> str:
    return " ".join(share.split()[0] for share in _lists(scenario, group)[-1].split(", ") if share) or "nobody"
