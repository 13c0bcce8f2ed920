"""Server-sent events: the rows of keys when they change, and the freshness of a store after each batch."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from eddyline.application.runtime.store_rows import StoreRow
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import Stock, example_queries

FAST = ServerOptions(port=0, poll_s=0.01)


@contextmanager
def events(server: QueryServer, path: str, **headers: str) -> Iterator[Iterator[tuple[str, str, Any]]]:
    with httpx.stream("GET", f"{server.url}/stores/{path}", headers=headers, timeout=10, trust_env=False) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _parsed(answer.iter_lines())


def _parsed(lines: Iterator[str]) -> Iterator[tuple[str, str, Any]]:
    event: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line:
            event[name] = value
        elif "data" in event:
            yield event["event"], event["id"], json.loads(event["data"])
            event = {}


def stock(key: str, on_hand: int) -> StoreRow:
    return StoreRow(key, Stock(on_hand, 1), None, 1)  # type: ignore[arg-type] # any number


def test_a_key_is_followed() -> None:
    queries = example_queries()
    with serving(queries, FAST) as server, events(server, "inventory/events?key=item-01") as stream:
        kind, batch, data = next(stream)
        assert (kind, batch, data["rows"][0]["value"]["onHand"]) == ("rows", "7", 1)
        queries.put("inventory", stock("item-02", 50))
        queries.put("inventory", stock("item-01", 51))
        kind, batch, data = next(stream)
        assert (kind, batch, [row["value"]["onHand"] for row in data["rows"]]) == ("rows", "9", [51])


def test_a_store_is_followed_by_its_batches() -> None:
    queries = example_queries()
    with serving(queries, FAST) as server, events(server, "inventory/events") as stream:
        assert next(stream)[:2] == ("freshness", "7")
        queries.put("inventory", stock("new", 1))
        kind, batch, data = next(stream)
        assert (kind, batch, data["offsets"]) == ("freshness", "8", {"orders": [11, 21]})


def test_a_client_that_reconnects_gets_only_what_is_new() -> None:
    queries = example_queries()
    with serving(queries, FAST) as server, events(server, "inventory/events", **{"Last-Event-ID": "7"}) as stream:
        queries.put("inventory", stock("new", 1))
        assert next(stream)[1] == "8"


def test_streams_end_when_the_server_stops() -> None:
    with serving(example_queries(), FAST) as server, events(server, "inventory/events") as stream:
        next(stream)
        server.stop()
        assert list(stream) == []


def test_the_number_of_streams_is_bounded() -> None:
    options = ServerOptions(port=0, poll_s=0.01, max_streams=1)
    with serving(example_queries(), options) as server, events(server, "inventory/events") as stream:
        next(stream)
        refused = httpx.get(f"{server.url}/stores/inventory/events", trust_env=False)
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:eddyline:problem:too-many-streams")


def test_a_key_that_does_not_fit_is_an_error(server: QueryServer) -> None:
    answer = httpx.get(f"{server.url}/stores/visits/events?key=x", trust_env=False)
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:eddyline:problem:invalid-query")
