"""The server over a read model in SQLite: it does what OpenAPI says, and no part of a request reaches a path or a statement."""

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from eddyline.adapters.sqlite import connections
from eddyline.adapters.sqlite.read_model import SqliteReadModel
from eddyline.adapters.web.operations import Operations
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from tests.fixtures.query_servers import serving
from tests.queries.changelogs import Changelogs, Shelf

MARK = "zqj"
HOSTILE = [
    f"{MARK}'; DROP TABLE entries; --",
    f'{MARK}" OR "1"="1',
    f"{MARK}%' UNION SELECT * FROM stores --",  # noqa: S608 - it is no query
    f"../../../../tmp/{MARK}",
    f"..\\..\\{MARK}",
    f"/etc/{MARK}",
    f"file:{MARK}?mode=memory",
    f"{MARK}\x00.sqlite",
    f"{MARK}\r\nSet-Cookie: a=b",
    f"${{jndi:ldap://{MARK}}}",
    f"{{{{7*7}}}}{MARK}",
    f"{MARK}\ud7ff\U0001f600\u202e",
    MARK * 1_000,
    f'["{MARK}", {"9" * 400}]',
    f'{{"{MARK}": {{}}}}',
    "[" * 200 + MARK,
]
QUERIES = ["keys/{}", "keys?key={}", "range?first={}&last={}", "prefix/{}", "windows/{}", "versions/{}", "versions/{}?as_of=5"]
STORES = ["stock", "by-number", "shelves", "sales", "visits", "prices"]

opened: list[str] = []
"""The paths that this process has opened since the test began."""
_watching = [False]


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching[0] and event in {
        "open",
        "sqlite3.connect",
        "os.listdir",
        "os.remove",
        "os.rename",
        "os.mkdir",
        "subprocess.Popen",
    }:
        opened.append(str(arguments[0]))


sys.addaudithook(_audit)


class RecordingConnection(sqlite3.Connection):
    """Remembers the texts of all statements."""

    statements: set[str] = set()  # noqa: RUF012 - shared by all connections

    def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
        self.statements.add(sql)
        return super().execute(sql, *arguments)

    def executemany(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
        self.statements.add(sql)
        return super().executemany(sql, *arguments)


@pytest.fixture(scope="module")
def statements() -> Iterator[set[str]]:
    real = sqlite3.connect

    def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        return real(*arguments, **options, factory=RecordingConnection)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(f"{connections.__name__}.sqlite3.connect", connect)
        RecordingConnection.statements.clear()
        yield RecordingConnection.statements


@pytest.fixture(scope="module")
def logs(statements: set[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changelogs]:
    assert not statements
    logs = Changelogs(SqliteReadModel(tmp_path_factory.mktemp("model") / "shop.sqlite"), partitions=2, discovery_ms=1_000)
    names = ["apple", "apricot", "a/b?c", "", "zoë", *HOSTILE[:8]]
    logs.write("stock", {name: (number, number) for number, name in enumerate(names)})
    logs.write("by-number", {number: str(number) for number in (-70, 0, 5, 1 << 80)}, partition=1)
    logs.write("shelves", {Shelf("north", 2): 1, Shelf("south", 1): 3})
    logs.write("sales", {(name, start): start for name in ("apple", HOSTILE[0]) for start in range(0, 50, 10)})
    logs.write("visits", {("ann", 5, 9): 1, ("ann", 20, 30): 2})
    logs.write("prices", {("apple", 10): (1,), ("apple", 20): (None,), ("fig", 5): (7,)})
    for store in STORES:
        for partition in range(2):
            logs.progress(store, 7, 10, 20, partition=partition)
    logs.orders(0, 12)
    logs.orders(1, 20)
    logs.follower.catch_up()
    logs.follower.start()
    yield logs
    logs.follower.stop()
    logs.model.close()


@pytest.fixture(scope="module")
def real_server(logs: Changelogs, operations: Operations) -> Iterator[QueryServer]:
    with serving(logs.queries, ServerOptions(port=0, rate_limit=0, max_timeout_s=0.1), operations=operations) as running:
        yield running


@pytest.fixture(scope="module")
def asked(real_server: QueryServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=real_server.url, trust_env=False, timeout=120) as client:
        yield client


def test_hostile_keys_are_only_keys(asked: httpx.Client) -> None:
    for number, name in enumerate(HOSTILE[:8], 5):
        answer = asked.get("/stores/stock/keys", params={"key": name})
        assert [(row["key"], row["value"]) for row in answer.json()["rows"]] == [(name, number)]
        answer = asked.get(f"/stores/stock/range?first={quote(name, safe='')}&last={quote(name, safe='')}")
        assert [row["key"] for row in answer.json()["rows"]] == [name]
    assert len(asked.get("/stores/sales/windows/" + quote(HOSTILE[0], safe="")).json()["rows"]) == 5


def test_no_part_of_a_request_reaches_a_path_or_a_statement(asked: httpx.Client, statements: set[str]) -> None:
    sent = 0
    opened.clear()
    _watching[0] = True
    try:
        for text in HOSTILE:
            quoted = quote(text, safe="")
            paths = [f"/stores/{store}/{query.format(*[quoted] * query.count('{}'))}" for store in STORES for query in QUERIES]
            paths += [
                f"/stores/{quoted}",
                f"/stores/{quoted}/keys/x",
                f"/hosts/{quoted}/x",
                f"/hosts/stock/{quoted}",
                f"/{quoted}",
            ]
            paths += [
                f"/stores/stock/range?{name}={quoted}" for name in ("cursor", "limit", "min_offset", "timeout", "first", quoted)
            ]
            for path in paths:
                answer = asked.get(path)
                sent += 1
                assert answer.status_code < 500, (path, answer.text)
                assert "set-cookie" not in answer.headers
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == "application/problem+json"
            for header in ("Last-Event-ID", "Eddyline-Forwarded", "Host", "Authorization"):
                value = text.encode("utf-8", "replace").replace(b"\x00", b"").replace(b"\r\n", b"")
                path = "/stores/stock/events" if header == "Last-Event-ID" else "/stores/stock/keys/apple"
                assert asked.get(path, headers=[(header.encode(), value[:4_000])]).status_code < 500
    finally:
        _watching[0] = False
    assert sent > 500
    assert [path for path in opened if MARK in path] == []
    assert [statement for statement in statements if MARK in statement] == []
    assert len(statements) < 40
    assert asked.get("/stores/stock").json()["entries"] == 13


@pytest.mark.extensive
@pytest.mark.slow
def test_schemathesis_finds_nothing(real_server: QueryServer, tmp_path: Path, asked: httpx.Client) -> None:
    """Event streams do not end; what a key or a cursor may be is not described, so valid ones may be refused."""
    words = ["--checks=all", "--exclude-checks=positive_data_acceptance", "--exclude-path-regex=/events$"]
    words += ["--max-examples=5", "--phases=coverage,fuzzing"]
    done = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"), "run", f"{real_server.url}/openapi.json", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr
    assert int(re.findall(r"([0-9]+) generated", done.stdout)[0]) > 500
    described = json.dumps(asked.get("/openapi.json").json()["paths"])
    assert all(f"/stores/{store}/{query}" in described for store in STORES for query in ("keys", "range", "latest", "events"))


def test_every_store_answers_every_query_of_its_kind(asked: httpx.Client) -> None:
    paths = asked.get("/openapi.json").json()["paths"]
    keys = {"by-number": "5", "shelves": '{"shop":"north","number":2}', "visits": "ann"}
    found = {}
    for path in paths:
        if path.endswith("/events") or not path.startswith(("/stores", "/hosts")):
            continue
        store = path.split("/")[2] if path.startswith("/stores/") and path.count("/") > 1 else "stock"
        key = quote(keys.get(store, "apple"), safe="")
        prefix = quote({"shelves": '["north"]', "visits": "an"}.get(store, "ap"), safe="")
        url = path.replace("{key}", key).replace("{prefix}", prefix).replace("{store}", "stock")
        answer = asked.get(url, params={"key": keys.get(store, "apple")} if url.endswith("/keys") else None)
        found[path] = answer.status_code
        if "rows" in answer.text and answer.headers["content-type"] == "application/json" and path.count("/") > 2:
            assert answer.json()["rows"], path
    assert set(found.values()) == {200}, found
    assert len(found) > 30
