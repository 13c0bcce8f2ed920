"""The daily ranges, as a trader reads them."""

from datetime import datetime

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("daily_range")


@given(parsers.parse("the daily ranges of {zone}"))
def daily_ranges(scenario: Scenario, zone: str) -> None:
    scenario.use("daily-range", zone=zone)


@given(parsers.parse("days wait {duration} for late prices"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use("daily-range", grace_ms=milliseconds(duration))


@when("these prices come in")
def prices(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        price = {"price": float(row["price"])} if row["price"] else None
        scenario.arrives("prices", row["instrument"], price, _instant(row["at"]))


@then("these days are told at last")
def days(scenario: Scenario, datatable: Table) -> None:
    told = {
        (record["key"]["key"], *record["key"]["window"].values()): record["value"] for record in scenario.left("daily-ranges")
    }
    assert told == {
        (row["instrument"], _instant(row["from"]), _instant(row["to"])): {
            "min": float(row["lowest"]),
            "max": float(row["highest"]),
            "average": float(row["average"]),
            "count": int(row["prices"]),
        }
        for row in rows(datatable)
    }


def _instant(text: str) -> int:
    """A moment with its distance from UTC, in ms since the epoch."""
    return round(datetime.fromisoformat(text).timestamp() * 1_000)
