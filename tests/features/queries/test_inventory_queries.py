"""Queries of the stock of stores over HTTP."""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import milliseconds
from tests.features.queries.conftest import Asked
from tests.features.queries.served_flow import Sent, ServedFlow, ServedFlows
from tests.features.tables import Table, as_table, rows

scenarios("queries/inventory_queries.feature")

STOCK = "/stores/INVENTORY"


@pytest.fixture(scope="module")
def flows(request: pytest.FixtureRequest) -> Iterator[ServedFlows]:
    flows = ServedFlows("inventory", None, request)
    yield flows
    flows.stop()


@pytest.fixture
def served(flows: ServedFlows, engine: str) -> ServedFlow:
    return flows.on(engine)


def items(table: Table) -> Iterator[Sent]:
    for row in rows(table):
        item = {"storeName": row["store"], "sku": row["sku"], "quantity": int(row["quantity"]), "type": row["type"]}
        yield "items", row["sku"], item, milliseconds(row["time"])


def stocks(answer: object) -> list[dict[str, str]]:
    assert isinstance(answer, dict)
    return [
        {"store": row["key"], "stock": ", ".join(f"{pieces} {sku}" for sku, pieces in row["value"]["stock"].items())}
        for row in answer["rows"]
    ]


@given("the stock of each store is tracked and can be queried")
def stock_is_tracked(served: ServedFlow) -> None:
    assert served.get("/health/live").status_code == 200


@given("these items have arrived")
def items_have_arrived(served: ServedFlow, datatable: Table) -> None:
    served.wait_for_store("INVENTORY", served.write_once(items(datatable)))


@when("these items arrive", target_fixture="arrived")
def items_arrive(served: ServedFlow, datatable: Table) -> int:
    return served.write(items(datatable))["items"]


@when(parsers.re(r"the stock of (?P<store>\w+) is queried"))
def stock_is_queried(served: ServedFlow, asked: Asked, store: str) -> None:
    asked.answer = served.get(f"{STOCK}/keys/{store}")


@when(parsers.re(r"the stock of (?P<stores>\w+, .*) is queried"))
def stocks_are_queried(served: ServedFlow, asked: Asked, stores: str) -> None:
    asked.answer = served.get(f"{STOCK}/keys", {"key": re.split(", | and ", stores)})


@when(parsers.re(r"the stock of the stores from (?P<first>\w+) to (?P<last>\w+) is queried"))
def range_is_queried(served: ServedFlow, asked: Asked, first: str, last: str) -> None:
    asked.answer = served.get(f"{STOCK}/range", {"first": first, "last": last})


@when(parsers.re(r"the stock of the stores from (?P<first>\w+) to (?P<last>\w+) is queried in pages of (?P<limit>\d+)"))
def pages_are_queried(served: ServedFlow, asked: Asked, first: str, last: str, limit: str) -> None:
    parameters = {"first": first, "last": last, "limit": limit}
    pages = [served.get(f"{STOCK}/range", parameters)]
    while (cursor := pages[-1].json()["cursor"]) is not None:
        pages.append(served.get(f"{STOCK}/range", {**parameters, "cursor": cursor}))
    asked.pages = tuple(pages)


@when(parsers.parse("the stock of the stores that begin with {prefix} is queried"))
def prefix_is_queried(served: ServedFlow, asked: Asked, prefix: str) -> None:
    asked.answer = served.get(f"{STOCK}/prefix/{prefix}")


@when(parsers.parse("the stock of {store} is queried with what has just arrived"))
def stock_is_queried_with_what_arrived(served: ServedFlow, asked: Asked, store: str, arrived: int) -> None:
    asked.answer = served.get(f"{STOCK}/keys/{store}", {"min_offset": f"items:0:{arrived}", "timeout": 30})


@when(parsers.parse("the stock of {store} is queried with an item that does not arrive"))
def stock_is_queried_with_what_does_not_arrive(served: ServedFlow, asked: Asked, store: str) -> None:
    parameters = {"min_offset": f"items:0:{served.next_offset('items')}", "timeout": 0.2}
    asked.answer = served.get(f"{STOCK}/keys/{store}", parameters)


@when(parsers.parse("the state store {name} is queried"))
def state_store_is_queried(served: ServedFlow, asked: Asked, name: str) -> None:
    asked.answer = served.get(f"/stores/{name}/keys/north")


@when("the hosts are listed")
def hosts_are_listed(served: ServedFlow, asked: Asked) -> None:
    asked.answer = served.get("/hosts")


class Watch:
    """Follows the stock of all stores."""

    def __init__(self, served: ServedFlow) -> None:
        self._served, self._stack = served, ExitStack()
        self.last_id: str | None = None
        self.start()

    def start(self) -> None:
        self._events = self._stack.enter_context(self._served.events(f"{STOCK}/events", self.last_id))
        if self.last_id is None:
            self.last_id = next(self._events)[1]

    def stop(self) -> None:
        self._stack.close()

    def until(self, expected: dict[str, str]) -> dict[str, str]:
        """Return the last stock of each store of these events, the last of which shows what is expected."""
        shown: dict[str, str] = {}
        for kind, identity, content in self._events:
            self.last_id = identity
            if kind == "rows":
                shown |= {row["store"]: row["stock"] for row in stocks(content)}
            if shown == expected or len(shown) > len(expected):
                break
        return shown


@pytest.fixture
def watch(served: ServedFlow) -> Iterator[Watch]:
    watching = Watch(served)
    yield watching
    watching.stop()


@given("the stock of all stores is watched")
def stock_is_watched(watch: Watch) -> None:
    assert watch.last_id is not None


@when("the watch is interrupted")
def watch_is_interrupted(watch: Watch) -> None:
    watch.stop()


@when("the watch goes on after what it has shown")
def watch_goes_on(watch: Watch) -> None:
    watch.start()


@then("the watch shows")
def watch_shows(watch: Watch, datatable: Table) -> None:
    expected = {row["store"]: row["stock"] for row in rows(datatable)}
    assert watch.until(expected) == expected


@then("the answer is")
def answer_is(asked: Asked, datatable: Table) -> None:
    assert asked.answer.status_code == 200, asked.answer.text
    assert as_table(stocks(asked.answer.json()), datatable) == datatable


@then("the pages are")
def pages_are(asked: Asked, datatable: Table) -> None:
    pages = [{"stores": ", ".join(row["store"] for row in stocks(page.json()))} for page in asked.pages]
    assert as_table(pages, datatable) == datatable


@then("the answer includes every item that has arrived")
def answer_includes_all(served: ServedFlow, asked: Asked) -> None:
    freshness = asked.answer.json()["freshness"]
    assert (freshness["offsets"], freshness["lag"]) == ({"items": [served.next_offset("items")]}, 0)


@then(parsers.parse("the stream time of the answer is at least {time}"))
def stream_time_is(asked: Asked, time: str) -> None:
    assert asked.answer.json()["freshness"]["streamTime"] >= milliseconds(time)


@then("the answer is not of a state that is being restored")
def not_restoring(asked: Asked) -> None:
    assert asked.answer.json()["freshness"]["restoring"] is False


@then(parsers.parse("the server is the only host and holds all partitions of {store}"))
def only_host(served: ServedFlow, asked: Asked, store: str) -> None:
    (host,) = asked.answer.json()["instances"]
    assert served.url.endswith(host["host"])
    assert host["stores"][store] == list(range(served.get(f"/stores/{store}").json()["partitions"]))


@then(parsers.parse("it is the host of {stores}"))
def host_of(served: ServedFlow, stores: str) -> None:
    hosts = {served.get(f"/hosts/INVENTORY/{store}").json()["host"] for store in re.split(", | and ", stores)}
    assert [served.url.endswith(host) for host in hosts] == [True]
