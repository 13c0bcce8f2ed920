"""Queries of windows, sessions and versions over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import milliseconds
from tests.features.queries.conftest import Asked
from tests.features.queries.served_flow import Sent, ServedFlow, ServedFlows
from tests.features.tables import Table, as_table, rows

scenarios("queries/history_queries.feature")

PARTS = {"views": ("views-per-window", "visits"), "prices": ("prices",)}
"""The stores that the records of each topic change."""


@pytest.fixture(scope="module")
def flows(request: pytest.FixtureRequest) -> Iterator[ServedFlows]:
    flows = ServedFlows("shop", "tests.features.queries.shop", request)
    yield flows
    flows.stop()


@pytest.fixture
def served(flows: ServedFlows, engine: str) -> ServedFlow:
    return flows.on(engine)


def records(table: Table) -> Iterator[Sent]:
    for row in rows(table):
        value: Any = row["value"] if row["topic"] == "views" else int(row["value"]) if row["value"] else None
        yield row["topic"], row["key"], value, milliseconds(row["time"])


def seconds(time: int | None) -> str:
    return "" if time is None else f"{time // 1_000} s"


def windows(answer: Any, key: str) -> list[dict[str, str]]:
    return [
        {
            key: row["key"],
            "start": seconds(row["window"]["start"]),
            "end": seconds(row["window"]["end"]),
            "views": str(row["value"]),
        }
        for row in answer["rows"]
    ]


@given("a shop counts views by product in windows of 10 s")
@given("it groups the views of each visitor into visits with an inactivity gap of 30 s")
@given("it keeps the versions of prices")
def shop(served: ServedFlow) -> None:
    assert served.get("/health/live").status_code == 200


@given("these records have arrived")
def records_have_arrived(served: ServedFlow, datatable: Table) -> None:
    for topic, offset in served.write_once(records(datatable)).items():
        for store in PARTS[topic]:
            served.wait_for_store(store, {topic: offset})


@when(parsers.re(r"the windows of (?P<product>\w+) are queried"))
def windows_are_queried(served: ServedFlow, asked: Asked, product: str) -> None:
    asked.answer = served.get(f"/stores/views-per-window/windows/{product}")


@when(parsers.re(r"the windows of (?P<product>\w+) from (?P<first>\d+ s) to (?P<last>\d+ s) are queried"))
def windows_between_are_queried(served: ServedFlow, asked: Asked, product: str, first: str, last: str) -> None:
    times = {"from": milliseconds(first), "to": milliseconds(last)}
    asked.answer = served.get(f"/stores/views-per-window/windows/{product}", times)


@when("the latest windows are queried")
def latest_windows_are_queried(served: ServedFlow, asked: Asked) -> None:
    asked.answer = served.get("/stores/views-per-window/latest")


@when(parsers.re(r"the visits of (?P<visitor>\w+) are queried"))
def visits_are_queried(served: ServedFlow, asked: Asked, visitor: str) -> None:
    asked.answer = served.get(f"/stores/visits/windows/{visitor}")


@when(parsers.re(r"the visits of (?P<visitor>\w+) from (?P<first>\d+ s) to (?P<last>\d+ s) are queried"))
def visits_between_are_queried(served: ServedFlow, asked: Asked, visitor: str, first: str, last: str) -> None:
    asked.answer = served.get(f"/stores/visits/windows/{visitor}", {"from": milliseconds(first), "to": milliseconds(last)})


@when(parsers.parse("the versions of the price of {product} are queried"))
def versions_are_queried(served: ServedFlow, asked: Asked, product: str) -> None:
    asked.answer = served.get(f"/stores/prices/versions/{product}")


@when(parsers.parse("the price of {product} at {time} is queried"))
def version_is_queried(served: ServedFlow, asked: Asked, product: str, time: str) -> None:
    asked.answer = served.get(f"/stores/prices/versions/{product}", {"as_of": milliseconds(time)})


@when("the latest prices are queried")
def latest_prices_are_queried(served: ServedFlow, asked: Asked) -> None:
    asked.answer = served.get("/stores/prices/latest")


@when(parsers.parse("the windows of the price of {product} are queried"))
def windows_of_a_price_are_queried(served: ServedFlow, asked: Asked, product: str) -> None:
    asked.answer = served.get(f"/stores/prices/windows/{product}")


@then("the windows are")
def windows_are(asked: Asked, datatable: Table) -> None:
    assert asked.answer.status_code == 200, asked.answer.text
    assert as_table(windows(asked.answer.json(), "product"), datatable) == datatable


@then("the visits are")
def visits_are(asked: Asked, datatable: Table) -> None:
    assert asked.answer.status_code == 200, asked.answer.text
    assert as_table(windows(asked.answer.json(), "visitor"), datatable) == datatable


@then("the prices are")
def prices_are(asked: Asked, datatable: Table) -> None:
    assert asked.answer.status_code == 200, asked.answer.text
    prices = [
        {
            "product": row["key"],
            "price": str(row["value"]),
            "from": seconds(row["timestamp"]),
            "to": seconds(row["validTo"]),
        }
        for row in asked.answer.json()["rows"]
    ]
    assert as_table(prices, datatable) == datatable
