"""The commands serve, query and status."""

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from dependency_injector.providers import Callable

from eddyline import Topology
from eddyline.adapters.container import Container
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

SECRET = "sesame"  # noqa: S105 - of a test
FRESH = "batch 7, lag 3 records\n"


@pytest.fixture(scope="module")
def server() -> Iterator[QueryServer]:
    with serving(example_queries(), ServerOptions(port=0, token=SECRET)) as running:
        yield running


@pytest.fixture
def ask(eddyline: Eddyline, server: QueryServer, monkeypatch: pytest.MonkeyPatch) -> Eddyline:
    monkeypatch.setenv("EDDYLINE_SERVER_TOKEN", SECRET)
    monkeypatch.setenv("EDDYLINE_SERVER_URL", server.url)
    return eddyline


def test_a_key_is_printed_with_its_freshness(ask: Eddyline) -> None:
    outcome = ask("query", "inventory", "item-01")
    assert outcome.code == 0
    assert outcome.out.splitlines()[1].split("  ")[0] == "item-01"
    assert '{"on_hand": 1, "unit_price": "1.50"}' in outcome.out
    assert "1970-01-01T00:00:01.001Z" in outcome.out
    assert outcome.err == f"1 row; {FRESH}"


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["inventory", "--first", "item-02", "--last", "item-03"], ["item-02", "item-03"]),
        (["inventory", "--prefix", "item-1"], ["item-10", "item-11"]),
        (["inventory", "--prefix", "item", "--limit", "1"], ["item-00"]),
        (["inventory", "a/b?c"], ["a/b?c"]),
        (["visits", "--latest"], [5]),
        (["visits", "5"], [5, 5]),
        (["visits", "5", "--limit", "1"], [5]),
        (["stats", "IBM", "--from", "11", "--to", "1970-01-01T00:00:00.019"], ["IBM"]),
        (["prices", "2024-01-01", "--as-of", "15"], ["2024-01-01"]),
        (["pairs", '["eu",2]', "--min-offset", "orders:0:3"], [["eu", 2]]),
    ],
)
def test_rows_are_chosen_by_options(ask: Eddyline, words: list[str], keys: list[object]) -> None:
    outcome = ask("query", *words, "--format", "json")
    assert [row["key"] for row in json.loads(outcome.out)["rows"]] == keys
    assert ask("query", *words).code == 0


def test_an_answer_is_continued_with_its_cursor(ask: Eddyline) -> None:
    words = ("query", "inventory", "--first", "item-02", "--last", "item-04", "--limit", "2", "--format", "json")
    first = json.loads(ask(*words).out)
    second = json.loads(ask(*words, "--cursor", first["cursor"]).out)
    assert [row["key"] for answer in (first, second) for row in answer["rows"]] == ["item-02", "item-03", "item-04"]
    assert second["cursor"] is None


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["inventory", "nope"], 1, "store 'inventory' has no key 'nope'"),
        (["nope"], 1, "unknown store 'nope'; stores: 'inventory', 'pairs', 'prices', 'stats', 'visits'"),
        (["inventory", "a", "--prefix", "b"], 2, "option --prefix does not go with a KEY; leave it out"),
        (["stats", "--from", "1"], 2, "option --from needs a KEY; leave it out or give the key"),
        (["inventory", "item-01", "--min-offset", "orders:0:99", "--timeout", "0"], 1, "does not include the offsets"),
        (
            ["inventory", "--server", "http://127.0.0.1:1"],
            1,
            "no query server answers at 'http://127.0.0.1:1': connection refused; start a run with 'eddyline run FLOW --serve'",
        ),
        (
            ["inventory", "--server", "http://ada:hunter2@127.0.0.1:1"],
            1,
            "no query server answers at 'http://127.0.0.1:1': connection refused; start a run with 'eddyline run FLOW --serve'",
        ),
        (["inventory", "--set", "server.token=other"], 1, "the request has no valid credentials"),
    ],
)
def test_what_cannot_be_answered_is_an_error_of_one_line(ask: Eddyline, words: list[str], code: int, message: str) -> None:
    outcome = ask("query", *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_status_shows_every_store(ask: Eddyline) -> None:
    outcome = ask("status")
    lines = [line.split() for line in outcome.out.splitlines()]
    assert (outcome.code, [line[0] for line in lines]) == (0, ["store", "inventory", "pairs", "prices", "stats", "visits"])
    assert lines[1] == [
        "inventory",
        "key-value",
        "str",
        "Stock",
        "14",
        lines[1][5],
        "KiB",
        "7",
        "3",
        "1970-01-01T00:00:09.000Z",
        "ready",
    ]


def test_the_status_fails_while_a_store_is_restoring(eddyline: Eddyline) -> None:
    queries = example_queries()
    queries.refresh("stats", restoring=True, batch=None, stream_time=None)
    with serving(queries) as server:
        outcome = eddyline("status", "--server", server.url)
    assert (outcome.code, "restoring" in outcome.out) == (1, True)


class Follower:
    """Writes down what is done with the follower of an application."""

    def __init__(self, application_id: str, topology: Topology) -> None:
        self.model, self.topology = self, topology
        self.calls = [application_id]

    def start(self) -> None:
        self.calls.append("start")

    def stop(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")


@pytest.fixture
def followers(monkeypatch: pytest.MonkeyPatch) -> list[Follower]:
    """The followers that the command creates, in place of those of changelogs."""
    made: list[Follower] = []

    def create(topology: Topology, application_id: str, group: None) -> Follower:
        del group
        made.append(Follower(application_id, topology))
        return made[-1]

    monkeypatch.setattr(Container, "changelog_follower", Callable(create))
    monkeypatch.setattr(Container, "state_queries", Callable(lambda **_: example_queries()))
    return made


def test_flows_are_served_until_the_command_is_stopped(
    eddyline: Eddyline, followers: list[Follower], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = QueryServer.run
    found = []

    def run(server: QueryServer, on_started: Any) -> None:
        def stop_when_started() -> None:
            on_started()
            found.append(server.url)
            signal.raise_signal(signal.SIGTERM)

        started(server, stop_when_started)

    monkeypatch.setattr(QueryServer, "run", run)
    outcome = eddyline("serve", "stock-stats", "word-count", "--port", "0")
    assert (outcome.code, outcome.err) == (0, f"serving 'stock-stats', 'word-count' at {found[0]}\n")
    assert [follower.calls for follower in followers] == [
        [name, "start", "stop", "close"] for name in ("stock-stats", "word-count")
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["stock-stats", "--host", "0.0.0.0"], "address '0.0.0.0' (server.host) is not loopback, so access must be"),  # noqa: S104
        (["stock-stats", "stock-stats"], "flow 'stock-stats' is named 2 times; name each flow once"),
        (["stok-stats"], "unknown flow 'stok-stats'; did you mean 'stock-stats'?"),
    ],
)
def test_what_cannot_be_served_is_an_error_of_arguments(
    eddyline: Eddyline, followers: list[Follower], words: list[str], message: str
) -> None:
    outcome = eddyline("serve", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert all(len(follower.calls) == 1 for follower in followers)
