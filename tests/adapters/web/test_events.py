"""Server-sent events: the rows of keys when they change, and all rows of a store that have changed."""

import itertools
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from eddyline.adapters.sqlite.read_model import SqliteReadModel
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from eddyline.application.queries import store_subscription
from eddyline.application.queries.subscriptions import changelog_checksum
from tests.fixtures.query_servers import serving
from tests.fixtures.server_sent_events import parsed
from tests.queries.changelogs import Changelogs

FAST = ServerOptions(port=0, event_interval_s=0.01)


@pytest.fixture
def logs() -> Iterator[Changelogs]:
    logs = Changelogs(partitions=2)
    logs.write("stock", {"apple": (1, 10), "banana": (2, 20)})
    logs.progress("stock", 7, 1, 2)
    logs.write("stock", {"cherry": (3, 30)}, partition=1)
    logs.progress("stock", 7, 1, 2, partition=1)
    logs.follower.catch_up()
    logs.follower.start()
    yield logs
    logs.follower.stop()


@pytest.fixture
def server(logs: Changelogs) -> Iterator[QueryServer]:
    with serving(logs.queries, FAST) as running:
        yield running


@contextmanager
def events(server: QueryServer, path: str, **headers: str) -> Iterator[Iterator[tuple[str, str, Any]]]:
    with httpx.stream("GET", f"{server.url}/stores/{path}", headers=headers, timeout=120, trust_env=False) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield parsed(answer.iter_lines())


def change(logs: Changelogs, batch: int, changes: dict[str, Any], *, partition: int = 0) -> None:
    logs.write("stock", {key: None if value is None else (value, 40) for key, value in changes.items()}, partition=partition)
    logs.progress("stock", batch, batch, batch, partition=partition)


def values(data: Any) -> dict[str, Any]:
    return {row["key"]: row["value"] for row in data["rows"]}


def position(logs: Changelogs, offsets: str) -> str:
    return f"{changelog_checksum(logs.model.changelog_id('stock') or '')}-{offsets}"


def until(stream: Iterator[tuple[str, str, Any]], expected: dict[str, Any]) -> str:
    """Read events until they have sent these rows, and return the id of the last event."""
    sent: dict[str, Any] = {}
    for kind, identity, data in stream:
        if kind == "rows":
            sent |= values(data)
        if sent == expected:
            return identity
        assert sent.items() <= expected.items(), sent
    raise AssertionError("the stream has ended")


def test_a_key_is_followed(logs: Changelogs, server: QueryServer) -> None:
    with events(server, "stock/events?key=apple") as stream:
        kind, batch, data = next(stream)
        assert (kind, batch, values(data)) == ("rows", "7", {"apple": 1})
        change(logs, 8, {"banana": 50})
        change(logs, 8, {}, partition=1)
        change(logs, 9, {"apple": 51})
        change(logs, 9, {}, partition=1)
        kind, batch, data = next(stream)
        assert (kind, batch, values(data)) == ("rows", "9", {"apple": 51})


def test_a_client_that_reconnects_to_a_key_gets_only_what_is_new(logs: Changelogs, server: QueryServer) -> None:
    with events(server, "stock/events?key=apple", **{"Last-Event-ID": "7"}) as stream:
        change(logs, 8, {"apple": 50})
        change(logs, 8, {}, partition=1)
        kind, batch, data = next(stream)
        assert (kind, batch, values(data)) == ("rows", "8", {"apple": 50})


def test_a_client_that_reconnects_within_a_batch_gets_what_that_batch_has_changed(logs: Changelogs, server: QueryServer) -> None:
    change(logs, 8, {"apple": 50})
    logs.follower.catch_up()
    with events(server, "stock/events?key=apple", **{"Last-Event-ID": "7"}) as stream:
        time.sleep(10 * FAST.event_interval_s)  # the stream looks at the key while only a part of the batch is there
        change(logs, 8, {}, partition=1)
        kind, batch, data = next(stream)
        assert (kind, batch, values(data)) == ("rows", "8", {"apple": 50})


def _rows_of(server: QueryServer, key: str) -> Any:
    return httpx.get(f"{server.url}/stores/stock/keys/{key}", trust_env=False).json()


def test_a_store_is_followed_by_the_rows_that_change(logs: Changelogs, server: QueryServer) -> None:
    with events(server, "stock/events") as stream:
        kind, identity, data = next(stream)
        assert (kind, identity, data["batch"]) == ("freshness", position(logs, "0:3,1:2"), 7)
        change(logs, 8, {"banana": 50, "fig": 5})
        change(logs, 8, {"cherry": None}, partition=1)
        assert until(stream, {"banana": 50, "fig": 5, "cherry": None}) == position(logs, "0:6,1:4")
        change(logs, 9, {})
        kind, identity, data = next(stream)
        assert (kind, identity, data["batch"]) == ("freshness", position(logs, "0:7,1:4"), 8)


def test_a_client_that_reconnects_gets_the_last_change_of_each_row_since(logs: Changelogs, server: QueryServer) -> None:
    for batch in range(8, 12):
        change(logs, batch, {"apple": batch, "fig": None if batch == 11 else batch})
    change(logs, 8, {"cherry": 8}, partition=1)
    logs.follower.catch_up()
    with events(server, "stock/events", **{"Last-Event-ID": position(logs, "0:3,1:2")}) as stream:
        kind, identity, data = next(stream)
        assert (kind, identity, values(data)) == ("rows", position(logs, "0:15,1:4"), {"apple": 11, "fig": None, "cherry": 8})
    with events(server, "stock/events", **{"Last-Event-ID": position(logs, "0:12,1:4")}) as stream:
        assert values(next(stream)[2]) == {"apple": 11, "fig": None}


def test_many_changes_are_sent_in_several_events(logs: Changelogs, server: QueryServer) -> None:
    expected = {f"key-{number}": number for number in range(5_000)}
    with events(server, "stock/events") as stream:
        next(stream)
        for start in range(0, 5_000, 500):
            change(logs, 8 + start, dict(list(expected.items())[start : start + 500]))
        until(stream, expected)


def test_a_client_that_is_too_far_behind_learns_where_changes_are_missing(
    logs: Changelogs, server: QueryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_subscription, "MOST_BEHIND", 2)
    change(logs, 8, {"apple": 8, "fig": 8})
    logs.follower.catch_up()
    with events(server, "stock/events", **{"Last-Event-ID": position(logs, "0:3,1:2")}) as stream:
        kind, identity, data = next(stream)
        assert (kind, identity, data["from"]) == ("missed", position(logs, "0:6,1:2"), position(logs, "0:3,1:2"))
        assert "read the store again" in data["detail"]
        change(logs, 9, {"apple": 9})
        assert until(stream, {"apple": 9}) == position(logs, "0:8,1:2")


@pytest.mark.parametrize("batches", [1, 9])
def test_a_changelog_that_was_created_again_is_sent_as_missing(logs: Changelogs, server: QueryServer, batches: int) -> None:
    before = position(logs, "0:3,1:2")
    with events(server, "stock/events") as stream:
        assert next(stream)[1] == before
        logs.recreate("stock")
        for batch in range(batches):
            change(logs, batch, {"apple": batch})
        logs.follower.catch_up()
        found = next(event for event in stream if event[0] == "missed")
        assert found[2]["from"] == before
        change(logs, 100, {"fig": 100})
        assert next(values(data) for kind, _, data in stream if kind == "rows" and "fig" in values(data)) == {"fig": 100}
    with events(server, "stock/events", **{"Last-Event-ID": before}) as stream:
        assert next(stream)[0] == "missed"


def test_changes_that_another_server_has_applied_to_the_same_file_are_sent(tmp_path: Path) -> None:
    first, path = Changelogs(SqliteReadModel(tmp_path / "model.sqlite")), tmp_path / "model.sqlite"
    change(first, 7, {"apple": 1})
    first.follower.catch_up()
    other = first.new_follower(SqliteReadModel(path))
    other.catch_up()
    with serving(first.queries, FAST) as server, events(server, "stock/events") as stream:
        next(stream)
        change(first, 8, {"apple": 2})
        other.catch_up()
        first.follower.catch_up()
        assert values(next(stream)[2]) == {"apple": 2}


@pytest.mark.parametrize(
    "identity", ["x", "7", *(f"0a1b2c3d-{offsets}" for offsets in ("0:1;1:2", "0:-1", "0:" + "9" * 19, "0:1,"))]
)
def test_an_id_of_no_event_is_an_error(server: QueryServer, identity: str) -> None:
    answer = httpx.get(f"{server.url}/stores/stock/events", headers={"Last-Event-ID": identity}, trust_env=False)
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:eddyline:problem:invalid-query")


def test_an_id_of_other_partitions_continues_with_those_that_there_are(logs: Changelogs, server: QueryServer) -> None:
    with events(server, "stock/events", **{"Last-Event-ID": position(logs, "0:3,99:5")}) as stream:
        change(logs, 8, {"apple": 8})
        assert until(stream, {"apple": 8}) == position(logs, "0:5,1:2")


def test_streams_end_when_the_server_stops(server: QueryServer) -> None:
    with events(server, "stock/events") as stream:
        next(stream)
        server.stop()
        assert list(stream) == []


def test_the_number_of_streams_is_bounded(logs: Changelogs) -> None:
    options = ServerOptions(port=0, event_interval_s=0.01, max_streams=1)
    with serving(logs.queries, options) as server, events(server, "stock/events") as stream:
        next(stream)
        refused = httpx.get(f"{server.url}/stores/stock/events", trust_env=False)
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:eddyline:problem:too-many-streams")


def test_a_stream_that_has_ended_is_followed_no_longer(logs: Changelogs, server: QueryServer) -> None:
    with events(server, "stock/events") as stream:
        next(stream)
        assert logs.follower.feed.listeners == 1
    assert logs.follower.wait_until(lambda: logs.follower.feed.listeners == 0, 120)


@pytest.mark.parametrize("notices", ["the system", "this process"])
def test_a_client_that_stops_reading_is_cut(logs: Changelogs, monkeypatch: pytest.MonkeyPatch, notices: str) -> None:
    monkeypatch.setattr("eddyline.adapters.web.connections.STALLED_S", 0.5)
    if notices == "this process":
        monkeypatch.delattr(socket, "TCP_USER_TIMEOUT")
    rows = 50 if notices == "the system" else 2_000
    with serving(logs.queries, replace(FAST, max_streams=1)) as server, reluctant_client(server):
        assert logs.follower.feed.listeners == 1
        assert httpx.get(f"{server.url}/stores/stock/events", trust_env=False).status_code == 503
        deadline = time.monotonic() + 60
        for batch in itertools.count(8):
            if batch < 9 or notices == "this process":
                change(logs, batch, {f"key-{number}": batch for number in range(rows)})
            if logs.follower.wait_until(lambda: logs.follower.feed.listeners == 0, 0.05):
                break
            assert time.monotonic() < deadline
        with events(server, "stock/events?key=apple") as stream:
            assert next(stream)[0] == "rows"


@contextmanager
def reluctant_client(server: QueryServer) -> Iterator[socket.socket]:
    address = urlsplit(server.url)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        client.connect((address.hostname, address.port))
        client.sendall(f"GET /stores/stock/events HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        assert client.recv(1) == b"H"
        yield client


def test_a_key_that_does_not_fit_is_an_error(server: QueryServer, logs: Changelogs) -> None:
    logs.create("by-number")
    logs.follower.discover()
    answer = httpx.get(f"{server.url}/stores/by-number/events?key=x", trust_env=False)
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:eddyline:problem:invalid-query")
