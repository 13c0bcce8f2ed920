"""Every query of a store over HTTP, on a real server."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from eddyline.adapters.web.options import ServerOptions
from eddyline.application.queries.answers import Answer, StoreInfo
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.stores import StoreKind
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import MemoryStateQueries, example_queries

FRESHNESS = {
    "batch": 7,
    "batchTime": 1_700_000_000_000,
    "streamTime": 9_000,
    "offsets": {"orders": [10, 20]},
    "lag": 3,
    "restoring": False,
}


def rows(client: httpx.Client, path: str, **parameters: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/stores/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    assert answer.json()["freshness"] == FRESHNESS
    found: list[dict[str, Any]] = answer.json()["rows"]
    return found


def test_stores_are_listed_with_kind_types_size_and_freshness(client: httpx.Client) -> None:
    found = client.get("/stores").json()["stores"]
    assert [store["name"] for store in found] == ["inventory", "pairs", "prices", "stats", "visits"]
    assert client.get("/stores/stats").json() == found[3]
    assert found[3]["sizeBytes"] > 0
    known = {name: found[3][name] for name in ("kind", "keyType", "valueType", "partitions", "entries", "freshness")}
    assert known == {
        "kind": "window",
        "keyType": "str",
        "valueType": "float",
        "partitions": 2,
        "entries": 3,
        "freshness": FRESHNESS,
    }


def test_a_key_has_its_value_in_the_json_of_topics(client: httpx.Client) -> None:
    assert rows(client, "inventory/keys/item-01") == [
        {"key": "item-01", "value": {"on_hand": 1, "unit_price": "1.50"}, "timestamp": 1_001}
    ]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_key_that_is_found_at_once_needs_no_other_thread(at_once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    queries, threads = example_queries(), set[str]()
    get = queries.get

    def watched(store: str, *keys: Any, **page: Any) -> Answer:
        threads.add(threading.current_thread().name.partition("_")[0])
        return get(store, *keys, **page)

    monkeypatch.setattr(queries, "get", watched)
    monkeypatch.setattr(queries, "finds_at_once", lambda _store: at_once)
    with serving(queries) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        assert rows(client, "inventory/keys/item-01")[0]["key"] == "item-01"
        of_key, threads = threads, set()
        rows(client, "inventory/keys", key=["item-01", "item-02"])
    assert (of_key == {"eddyline-query"}) is not at_once
    assert threads == {"eddyline-query"}


@pytest.mark.parametrize("key", ["", "a/b?c"])
def test_a_text_key_may_be_any_text(client: httpx.Client, key: str) -> None:
    assert [row["key"] for row in rows(client, f"inventory/keys/{quote(key, safe='')}")] == [key]


@pytest.mark.parametrize(
    ("store", "text", "key"),
    [
        ("visits", "5", 5),
        ("prices", "2024-01-01", "2024-01-01"),
        ("prices", '"2024-01-01"', "2024-01-01"),
        ("pairs", '["eu",1]', ["eu", 1]),
    ],
)
def test_other_keys_are_json_of_their_type(client: httpx.Client, store: str, text: str, key: object) -> None:
    assert {str(row["key"]) for row in rows(client, f"{store}/keys/{quote(text, safe='')}")} == {str(key)}


def test_several_keys_have_the_rows_of_those_that_exist(client: httpx.Client) -> None:
    assert [row["key"] for row in rows(client, "inventory/keys", key=["item-03", "item-01", "nope"])] == ["item-01", "item-03"]


def test_a_range_is_read_page_by_page(client: httpx.Client) -> None:
    keys: list[str] = []
    cursor = None
    pages = 0
    while cursor is not None or not pages:
        page: dict[str, Any] = {"first": "item-02", "last": "item-06", "limit": 2, **({"cursor": cursor} if cursor else {})}
        answer = client.get("/stores/inventory/range", params=page).json()
        keys += [row["key"] for row in answer["rows"]]
        cursor, pages = answer["cursor"], pages + 1
    assert (keys, pages) == ([f"item-{n:02}" for n in range(2, 7)], 3)


def test_a_range_of_numbers_has_numbers_as_bounds(client: httpx.Client) -> None:
    assert rows(client, "visits/range", first="6") == []
    assert len(rows(client, "visits/range", first="4", last="5")) == 2


def test_a_prefix_is_a_text_or_the_first_fields(client: httpx.Client) -> None:
    assert [row["key"] for row in rows(client, "inventory/prefix/item-1")] == ["item-10", "item-11"]
    assert [row["key"] for row in rows(client, "pairs/prefix/" + quote('["eu"]'))] == [["eu", 0], ["eu", 1], ["eu", 2]]


def test_windows_of_a_key_overlap_two_times(client: httpx.Client) -> None:
    found = rows(client, "stats/windows/IBM", **{"from": 11, "to": 19})
    assert [(row["window"], row["value"]) for row in found] == [({"start": 10, "end": 20}, 10.0)]
    assert len(rows(client, "stats/windows/IBM")) == 3
    assert rows(client, "stats/windows/SAP") == []


def test_sessions_have_their_bounds(client: httpx.Client) -> None:
    assert [row["window"] for row in rows(client, "visits/keys/5")] == [{"start": 0, "end": 4}, {"start": 30, "end": 31}]


def test_the_version_at_a_time_is_the_one_that_was_valid(client: httpx.Client) -> None:
    found = rows(client, "prices/versions/2024-01-01", as_of=15)
    assert found == [{"key": "2024-01-01", "value": "old", "timestamp": 10, "validTo": 20}]
    assert [row["value"] for row in rows(client, "prices/versions/2024-01-01")] == ["old", "new"]


def test_the_latest_row_of_every_key(client: httpx.Client) -> None:
    assert [(row["key"], row["window"]["start"]) for row in rows(client, "visits/latest")] == [(5, 30)]


@pytest.mark.parametrize(
    ("path", "status", "kind", "detail"),
    [
        ("/stores/nope", 404, "unknown-store", "unknown store 'nope'; stores: 'inventory', 'pairs', 'prices', 'stats', 'visits'"),
        ("/stores/nope/keys/a", 404, "unknown-store", "unknown store 'nope'"),
        ("/hosts/nope/a", 404, "unknown-store", "unknown store 'nope'"),
        ("/stores/inventory/keys/nope", 404, "unknown-key", "store 'inventory' has no key 'nope'"),
        ("/stores/prices/versions/2024-01-01?as_of=5", 404, "unknown-key", "store 'prices' has no key '2024-01-01' at 5 ms"),
        ("/stores/inventory/windows/a", 404, "unknown-query", "store 'inventory' is a key-value store and has no 'windows'"),
        ("/stores/inventory/range?cursor=x", 400, "invalid-query", "invalid cursor 'x'"),
        ("/stores/visits/keys/x", 400, "invalid-query", "invalid key 'x': Input should be a valid integer"),
        (
            "/stores/visits/prefix/5",
            404,
            "unknown-query",
            "store 'visits' is a session store and has no 'prefix'; choose",
        ),
        ("/stores/pairs/prefix/eu", 400, "invalid-query", "a prefix of keys of store 'pairs' is a JSON array"),
        ("/stores/pairs/keys/%5B1%5D", 400, "invalid-query", "invalid key '[1]'"),
        ("/stores/inventory/range?limits=1", 422, "invalid-parameters", "parameter 'limits'"),
        ("/stores/inventory/range?limit=0", 422, "invalid-parameters", "parameter 'limit'"),
        ("/stores/inventory/range?limit=1001", 422, "invalid-parameters", "parameter 'limit'"),
        ("/stores/inventory/keys", 422, "invalid-parameters", "parameter 'key'"),
        ("/stores/inventory/latest?min_offset=orders", 422, "invalid-parameters", "parameter 'min_offset.0'"),
        ("/stores/inventory/latest?min_offset=nope:0:1", 400, "invalid-query", "unknown topic 'nope'"),
        ("/stores/stats/windows/IBM?from=-1", 422, "invalid-parameters", "parameter 'from'"),
        ("/nope", 404, "not-found", "there is nothing at this path"),
    ],
)
def test_an_error_is_a_problem_that_names_the_choices(
    client: httpx.Client, path: str, status: int, kind: str, detail: str
) -> None:
    answer = client.get(path)
    problem = answer.json()
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert (problem["status"], problem["type"]) == (status, f"urn:eddyline:problem:{kind}")
    assert detail in problem["detail"]
    if kind == "unknown-store":
        assert problem["choices"] == ["inventory", "pairs", "prices", "stats", "visits"]
    if kind == "unknown-key":
        assert problem["freshness"] == FRESHNESS


def test_only_reading_is_possible(client: httpx.Client) -> None:
    assert client.post("/stores/inventory/keys/a").status_code == 405


def test_a_request_waits_until_the_state_includes_an_offset() -> None:
    queries = example_queries()
    with serving(queries) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        threading.Timer(0.1, lambda: queries.refresh("inventory", batch=8, offsets={"orders": [11, 20]})).start()
        wanted: dict[str, Any] = {"min_offset": ["orders:0:10", "orders:1:5"], "timeout": 10}
        answer = client.get("/stores/inventory/keys/item-01", params=wanted)
        assert answer.json()["freshness"]["offsets"] == {"orders": [11, 20]}
        late = client.get("/stores/inventory/keys/item-01", params={"min_offset": "orders:0:11", "timeout": 0.01})
        assert (late.status_code, late.json()["type"]) == (412, "urn:eddyline:problem:not-fresh")


def test_the_number_of_waiting_requests_is_bounded() -> None:
    queries = example_queries()
    options = ServerOptions(port=0, max_timeout_s=120, max_waiting=1)
    with serving(queries, options) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        path = f"{server.url}/stores/inventory/latest?min_offset=orders:0:99&timeout=1e9"
        statuses = [429]

        def wait() -> None:
            while statuses[-1] == 429:  # until this request is the one that waits
                statuses.append(httpx.get(path, trust_env=False).status_code)

        first = threading.Thread(target=wait)
        first.start()
        while client.get("/stores/inventory/latest", params={"min_offset": "orders:0:99", "timeout": 0}).status_code != 429:
            assert first.is_alive()
        queries.refresh("inventory", offsets={"orders": [100, 20]})
        first.join()
        assert statuses[-1] == 200
        assert client.get("/stores/inventory/latest").status_code == 200


def test_the_time_of_waiting_is_bounded() -> None:
    with serving(example_queries(), ServerOptions(port=0, max_timeout_s=0.01)) as server:
        answer = httpx.get(f"{server.url}/stores/inventory/latest?min_offset=orders:0:99&timeout=1e9", trust_env=False)
    assert answer.status_code == 412


def test_an_error_of_the_queries_shows_nothing_of_the_inside() -> None:
    queries = MemoryStateQueries()
    with serving(queries) as server:
        queries.stores = lambda: 1 / 0  # type: ignore[method-assign,assignment,return-value] # a bug
        answer = httpx.get(f"{server.url}/stores", trust_env=False)
    assert (answer.status_code, answer.json()["type"]) == (500, "urn:eddyline:problem:internal-error")
    assert "division" not in answer.text


def test_a_store_that_is_created_while_the_server_runs_is_found() -> None:
    queries = MemoryStateQueries()
    with serving(queries, ServerOptions(port=0, discovery_s=0)) as server:

        def get(path: str) -> httpx.Response:
            return httpx.get(f"{server.url}{path}", trust_env=False)

        assert get("/stores/late").json()["detail"] == "unknown store 'late'; stores: there is none yet"
        assert "/stores/late" not in get("/openapi.json").json()["paths"]
        queries.add("late", StoreKind.KEY_VALUE, (int, str), [StoreRow(1, "one", None, 0)])
        assert "/stores/late" in get("/openapi.json").json()["paths"]
        assert get("/stores/late/keys/1").json()["rows"][0]["value"] == "one"
        queries.add("later", StoreKind.KEY_VALUE, (int, str), [StoreRow(2, "two", None, 0)])
        assert get("/hosts/later/2").status_code == 200
        assert get("/stores/later/keys/2").json()["rows"][0]["value"] == "two"


def test_requests_wait_while_the_stores_are_looked_for() -> None:
    queries = example_queries()
    looking, may_go, stores = threading.Event(), threading.Event(), queries.stores

    def slow() -> Sequence[StoreInfo]:
        looking.set()
        assert may_go.wait(120)
        return stores()

    queries.stores = slow  # type: ignore[method-assign] # as with slow brokers
    with serving(queries) as server, ThreadPoolExecutor(5) as clients:

        def ask() -> int:
            return httpx.get(f"{server.url}/stores/inventory/keys/item-01", trust_env=False, timeout=120).status_code

        first = clients.submit(ask)
        assert looking.wait(120)
        others = [clients.submit(ask) for _ in range(4)]
        assert not wait(others, timeout=0.5).done
        may_go.set()
        assert [answer.result() for answer in (first, *others)] == [200] * 5
