"""The stock statistics, as a trader tells them."""

from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("stock_stats")


@given("the stock statistics")
def stock_statistics(scenario: Scenario) -> None:
    scenario.use("stock-stats")


@given(parsers.parse("windows take late trades for {duration}"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use("stock-stats", grace_ms=milliseconds(duration))


@when("these trades come in")
def trades(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        trade = {"type": "ASK", "ticker": row["ticker"], "price": float(row["price"]), "size": 100}
        scenario.arrives("trades", row["ticker"], trade, milliseconds(row["at"]))


@when(parsers.parse("a record without a trade comes in for {ticker} at {time}"))
def no_trade(scenario: Scenario, ticker: str, time: str) -> None:
    scenario.arrives("trades", ticker, None, milliseconds(time))


@then("these statistics are told")
def told(scenario: Scenario, datatable: Table) -> None:
    window = [(row["ticker"], milliseconds(row["from"]), milliseconds(row["to"]), *_figures(row)) for row in rows(datatable)]
    assert [
        (record["key"]["key"], record["key"]["window"]["start"], record["key"]["window"]["end"], *_told(record["value"]))
        for record in scenario.left("stock-stats")
    ] == window


@then(parsers.parse("the statistics of {ticker} from {start} are at last"))
def at_last(scenario: Scenario, ticker: str, start: str, datatable: Table) -> None:
    (expected,) = rows(datatable)
    assert _told(_of_window(scenario, ticker, start)[-1]) == _figures(expected)


@then(parsers.parse("nothing is told of {ticker} from {start}"))
def nothing_told(scenario: Scenario, ticker: str, start: str) -> None:
    assert _of_window(scenario, ticker, start) == []


def _of_window(scenario: Scenario, ticker: str, start: str) -> list[dict[str, Any]]:
    return [
        record["value"]
        for record in scenario.left("stock-stats")
        if record["key"]["key"] == ticker and record["key"]["window"]["start"] == milliseconds(start)
    ]


def _figures(row: dict[str, str]) -> tuple[int, float, float]:
    return int(row["trades"]), float(row["lowest"]), float(row["average"])


def _told(value: dict[str, Any]) -> tuple[int, float, float]:
    return value["countTrades"], value["minPrice"], value["avgPrice"]
