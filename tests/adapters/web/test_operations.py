"""Dead letters and stopping a run over REST: who may, from where, and what is answered."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.web.operations import Operations
from eddyline.adapters.web.options import ServerOptions
from eddyline.application.monitoring.run_status import RunState
from eddyline.application.operations.dead_letter_service import DeadLetterService
from tests.fixtures.example_runs import after_one_batch
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries
from tests.operations.dead_letters import DeadLetterSetup

READER, OPERATOR = {"Authorization": "Bearer reader"}, {"Authorization": "Bearer operator"}
TOKENS = {"token": "reader", "operator_token": "operator"}
REDRIVE = "/dead-letters/redrive"


class Server:
    """A server with three dead letters of `app`, and whether its run was asked to stop."""

    def __init__(self, *applications: str, **options: Any) -> None:
        self.setup = DeadLetterSetup()
        for number in range(3):
            self.setup.add_letter(number)
        sink, clock = MemoryEventSink(self.setup.log), MemoryClock()
        letters = [DeadLetterService(self.setup.log, sink, clock, name) for name in applications or ("app",)]
        self.stopped: list[bool] = []
        self.operations = Operations(letters, lambda: self.stopped.append(True))
        self.options = ServerOptions(port=0, **options)
        self.run = after_one_batch()
        self.client: httpx.Client

    def post(self, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self.client.post(path, json={} if body is None else body, headers=headers)


@contextmanager
def started(*applications: str, **options: Any) -> Iterator[Server]:
    server = Server(*applications, **options)
    with (
        server.run.running(),
        serving(example_queries(), server.options, run=server.run, operations=server.operations) as running,
        httpx.Client(base_url=running.url, trust_env=False) as server.client,
    ):
        yield server


@pytest.fixture
def server() -> Iterator[Server]:
    with started() as found:
        yield found


@pytest.fixture(scope="module")
def protected() -> Iterator[Server]:
    with started(**TOKENS) as found:
        yield found


def problem(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


# --- dead letters -----------------------------------------------------------------------------------------------------


def test_dead_letters_are_listed_in_pages(server: Server) -> None:
    first = server.client.get("/dead-letters", params={"limit": 2}).json()
    assert (first["application"], first["deadLetterTopic"], first["total"]) == ("app", "app-dead-letters", 3)
    assert first["deadLetters"][0] == {
        "position": "0:2", "topic": "trades", "partition": 1, "offset": 2, "operator": "", "exception": "CodecError",
        "message": "no price", "timestamp": 1_002, "redriven": False,
    }  # fmt: skip
    second = server.client.get("/dead-letters", params={"limit": 2, "cursor": first["cursor"]}).json()
    assert ([letter["position"] for letter in second["deadLetters"]], second["cursor"]) == (["0:0"], None)


def test_a_dead_letter_has_the_bytes_and_the_headers_of_its_record(server: Server) -> None:
    letter = server.client.get("/dead-letters/0/1").json()
    assert (base64.b64decode(letter["key"]), base64.b64decode(letter["value"])) == (b"k1", b"v1")
    assert letter["headers"] == [{"name": "trace", "value": base64.b64encode(b"1").decode()}]


def test_dead_letters_are_redriven_once(server: Server) -> None:
    dry = server.post(REDRIVE, {"positions": ["0:1"], "dryRun": True}).json()
    assert (dry["written"], server.setup.values()) == (1, [])
    assert server.post(REDRIVE, {"positions": ["0:1"]}).json() == {
        "written": 1, "alreadyRedriven": 0, "notRedrivable": 0,
        "results": [{"position": "0:1", "outcome": "written", "obstacle": None}],
    }  # fmt: skip
    everything = server.post(REDRIVE, {"all": True, "topic": "trades"}).json()
    assert (everything["written"], everything["alreadyRedriven"]) == (2, 1)
    assert server.setup.values() == [b"v0", b"v1", b"v2"]
    assert server.client.get("/dead-letters/0/1").json()["redriven"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"positions": ["0:1"], "all": True},
        {"positions": ["0:1"], "topic": "trades"},
        {"positions": ["0-1"]},
        {"positions": ["0:1"], "dryrun": True},
        {"all": "maybe"},
        [],
    ],
)
def test_a_redrive_that_does_not_say_what_is_refused(server: Server, body: Any) -> None:
    assert problem(server.post(REDRIVE, body)) == (422, "invalid-parameters")
    assert server.setup.values() == []


@pytest.mark.parametrize(
    ("path", "parameters", "expected"),
    [
        ("/dead-letters/0/9", {}, (404, "unknown-dead-letter")),
        ("/dead-letters/0/x", {}, (422, "invalid-parameters")),
        ("/dead-letters/0", {}, (404, "not-found")),
        ("/dead-letters", {"cursor": "x"}, (400, "invalid-cursor")),
        ("/dead-letters", {"application": "other"}, (404, "unknown-application")),
        ("/dead-letters", {"limit": 0}, (422, "invalid-parameters")),
        ("/dead-letters", {"page": 1}, (422, "invalid-parameters")),
    ],
)
def test_what_does_not_exist_is_a_problem(server: Server, path: str, parameters: Any, expected: tuple[int, str]) -> None:
    assert problem(server.client.get(path, params=parameters)) == expected


def test_a_server_of_several_flows_asks_for_the_application() -> None:
    with started("app", "other") as server:
        answer = server.client.get("/dead-letters")
        assert problem(answer) == (404, "unknown-application")
        assert answer.json()["choices"] == ["app", "other"]
        assert server.client.get("/dead-letters", params={"application": "app"}).json()["total"] == 3
        assert server.client.get("/dead-letters", params={"application": "other"}).json()["total"] == 0


# --- the run ----------------------------------------------------------------------------------------------------------


def test_a_run_is_stopped_after_its_batch(server: Server) -> None:
    answer = server.post("/stop")
    assert (answer.status_code, answer.json()) == (202, {"state": "pending-shutdown"})
    assert server.stopped == [True]
    assert server.run.snapshot().state is RunState.PENDING_SHUTDOWN


def test_a_server_beside_a_run_cannot_stop_it() -> None:
    with serving(example_queries()) as running:
        answer = httpx.post(f"{running.url}/stop", json={}, trust_env=False)
    assert problem(answer) == (404, "no-run")


# --- roles ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "body"), [(REDRIVE, {"positions": ["0:9"]}), ("/stop", {})])
def test_changes_need_an_operator(protected: Server, path: str, body: Any) -> None:
    assert problem(protected.post(path, body)) == (401, "unauthorized")
    answer = protected.post(path, body, READER)
    assert problem(answer) == (403, "operator-only")
    assert "server.operator.token" in answer.json()["detail"]
    assert protected.stopped == []


def test_readers_and_operators_may_read(protected: Server) -> None:
    for headers in (READER, OPERATOR):
        for path in ("/dead-letters", "/dead-letters/0/0", "/status", "/stores"):
            assert protected.client.get(path, headers=headers).status_code == 200


def test_operators_may_redrive_and_stop() -> None:
    with started(**TOKENS) as server:
        assert server.post(REDRIVE, {"all": True}, OPERATOR).json()["written"] == 3
        assert server.post("/stop", headers=OPERATOR).status_code == 202
        assert server.stopped == [True]


def test_operators_may_have_a_login() -> None:
    logins = {"username": "ada", "password": "r", "operator_username": "grace", "operator_password": "o"}
    with started(**logins) as server:
        for login, status in ((("ada", "r"), 403), (("grace", "o"), 202), (("grace", "r"), 401)):
            assert server.client.post("/stop", json={}, auth=login).status_code == status


def test_without_credentials_of_operators_nobody_may_change_anything() -> None:
    with started(token="reader") as server:  # noqa: S106 - of a test
        assert problem(server.post("/stop", headers=READER)) == (403, "operator-only")


def test_credentials_of_operators_alone_protect_the_server() -> None:
    with started(operator_token="operator") as server:  # noqa: S106 - of a test
        assert server.client.get("/stores").status_code == 401
        assert server.client.get("/stores", headers=OPERATOR).status_code == 200


# --- requests of foreign pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Origin": "https://evil.example"}, (403, "foreign-origin")),
        ({"Origin": "null"}, (403, "foreign-origin")),
        ({"Origin": "http://127.0.0.1:1"}, (403, "foreign-origin")),
        ({"Sec-Fetch-Site": "cross-site"}, (403, "foreign-origin")),
        ({"Sec-Fetch-Site": "same-site"}, (403, "foreign-origin")),
        ({"Content-Type": "text/plain"}, (415, "unsupported-media-type")),
        ({"Content-Type": "application/x-www-form-urlencoded"}, (415, "unsupported-media-type")),
        ({"Content-Type": "text/plain; application/json"}, (415, "unsupported-media-type")),
    ],
)
@pytest.mark.parametrize("options", [{}, TOKENS], ids=["open", "protected"])
def test_a_page_of_another_server_cannot_change_anything(
    headers: dict[str, str], expected: tuple[int, str], options: dict[str, str]
) -> None:
    with started(**options) as server:
        for path in ("/stop", REDRIVE):
            answer = server.client.post(
                path, content=b'{"all": true}', headers={"Content-Type": "application/json", **OPERATOR, **headers}
            )
            assert problem(answer) == expected
        assert (server.stopped, server.setup.values()) == ([], [])


def test_the_page_of_the_server_and_programs_can(server: Server) -> None:
    own = {"Origin": str(server.client.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert server.post("/stop", headers=own).status_code == 202
    assert server.post("/stop", headers={"Content-Type": "application/json; charset=utf-8"}).status_code == 202


def test_a_body_that_is_no_json_is_a_problem(server: Server) -> None:
    for body in (b"{", b"\xff"):
        answer = server.client.post(REDRIVE, content=body, headers={"Content-Type": "application/json"})
        assert problem(answer)[0] in {400, 422}


def test_another_method_changes_nothing(server: Server) -> None:
    for path in ("/stop", REDRIVE):
        assert server.client.get(path).status_code == 405
    assert (server.stopped, server.setup.values()) == ([], [])


@pytest.mark.parametrize("path", [REDRIVE, "/stop", "/stores"])
def test_large_bodies_are_refused_before_they_are_read(path: str) -> None:
    with started(**TOKENS) as server:
        for role in (READER, OPERATOR):
            answer = server.client.post(path, content=bytes(1_000_001), headers=role)
            assert (answer.status_code, answer.json()["type"]) == (413, "urn:eddyline:problem:too-large")
            answer = server.client.post(path, content=iter([b"{}"]), headers=role)
            assert (answer.status_code, answer.json()["type"]) == (411, "urn:eddyline:problem:length-required")
