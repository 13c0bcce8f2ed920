"""Who may ask a server: credentials, names, rate limit, TLS; what needs credentials refuses to start without."""

import base64
import socket
import ssl
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme

from eddyline.adapters.web import connections
from eddyline.adapters.web.access import RateLimit
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer, ServerError
from tests.fixtures.query_servers import serving, single
from tests.fixtures.state_queries import example_queries

TOKEN = {"token": "sesame"}
LOGIN = {"username": "ada", "password": "p:w"}
PATHS = ("/stores", "/stores/inventory/keys/item-01", "/hosts", "/metrics", "/openapi.json", "/nope")


def connected(server: QueryServer) -> socket.socket:
    url = httpx.URL(server.url)
    return socket.create_connection((url.host, url.port or 0))


def basic(text: str) -> str:
    return f"Basic {base64.b64encode(text.encode()).decode()}"


@pytest.mark.parametrize(
    ("settings", "authorization", "status"),
    [
        (TOKEN, "Bearer sesame", 200),
        (TOKEN, "bearer sesame", 200),
        (TOKEN, "Bearer Sesame", 401),
        (TOKEN, "Bearer", 401),
        (TOKEN, "Bearer séame", 401),
        (TOKEN, "", 401),
        (TOKEN, None, 401),
        (TOKEN, basic("ada:p:w"), 401),
        (TOKEN, basic(":"), 401),
        (LOGIN, basic("ada:p:w"), 200),
        (LOGIN, basic("ada:p"), 401),
        (LOGIN, basic("p:w:ada"), 401),
        (LOGIN, "Basic !", 401),
        (LOGIN, "Bearer ada:p:w", 401),
        (TOKEN | LOGIN, basic("ada:p:w"), 200),
        (TOKEN | LOGIN, "Bearer sesame", 200),
        ({}, None, 200),
        ({}, "Bearer whatever", 200),
    ],
)
def test_credentials_open_a_server(settings: dict[str, Any], authorization: str | None, status: int) -> None:
    headers: dict[bytes, bytes] = {} if authorization is None else {b"Authorization": authorization.encode()}
    with serving(example_queries(), ServerOptions(port=0, **settings)) as server:
        answer = httpx.get(f"{server.url}/stores", headers=headers, trust_env=False)
    assert answer.status_code == status
    assert ("www-authenticate" in answer.headers) is (status == 401)


def test_only_probes_need_no_credentials() -> None:
    with serving(example_queries(), ServerOptions(port=0, **TOKEN)) as server:  # type: ignore[arg-type] # texts
        found = {path: httpx.get(f"{server.url}{path}", trust_env=False).status_code for path in PATHS}
        probes = {httpx.get(f"{server.url}/health/{probe}", trust_env=False).status_code for probe in ("live", "ready")}
    assert found == dict.fromkeys(PATHS, 401)
    assert probes == {200}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com", ""])  # noqa: S104 - they are refused
def test_an_address_that_is_not_loopback_needs_credentials(host: str) -> None:
    with pytest.raises(ValueError, match=r"is not loopback, so access must be restricted: set server\.token"):
        ServerOptions(host=host)
    assert ServerOptions(host=host, token="t").protected  # noqa: S106


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_needs_none(host: str) -> None:
    assert not ServerOptions(host=host).protected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"username": "ada"}, "setting 'server.username' needs 'server.password'"),
        ({"password": "p"}, "setting 'server.password' needs 'server.username'"),
        ({"token": ""}, "setting 'server.token' is empty"),
        ({"operator_username": "ada"}, "setting 'server.operator.username' needs 'server.operator.password'"),
        ({"operator_password": "p"}, "setting 'server.operator.password' needs 'server.operator.username'"),
        ({"operator_token": ""}, "setting 'server.operator.token' is empty"),
        ({"token": "t", "operator_token": "t"}, "setting 'server.operator.token' equals 'server.token'"),
        ({"private_key": Path("key.pem")}, r"setting 'server\.tls\.key\.file' needs 'server\.tls\.cert\.file'"),
    ],
)
def test_settings_that_do_not_fit_together_are_errors(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ServerOptions(**settings)


def test_a_server_without_credentials_answers_under_names_of_loopback_only(server: QueryServer) -> None:
    def status(host: str) -> int:
        return httpx.get(f"{server.url}/stores", headers={"Host": host}, trust_env=False).status_code

    assert {status(host) for host in ("localhost:80", "localhost", "127.0.0.1", "[::1]:8642", "[::1]")} == {200}
    assert {status(host) for host in ("evil.example", "evil.example:8642", "127.0.0.1.evil.example", "")} == {421}


def test_answers_are_not_cached_or_guessed(client: httpx.Client) -> None:
    headers = client.get("/stores").headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert "server" not in headers


def test_a_client_that_asks_too_often_is_refused() -> None:
    with serving(example_queries(), ServerOptions(port=0, rate_limit=1)) as server, httpx.Client(trust_env=False) as client:
        statuses = [client.get(f"{server.url}/stores").status_code for _ in range(3)]
        assert client.get(f"{server.url}/health/live").status_code == 200
    assert statuses[0] == 200
    assert 429 in statuses


def test_a_bucket_of_each_client_refills_with_time() -> None:
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    assert [limit.allows("a") for _ in range(3)] == [True, True, False]
    assert limit.allows("b")
    now[0] = 0.5
    assert [limit.allows("a") for _ in range(2)] == [True, False]
    now[0] = 100.0
    assert [limit.allows("a") for _ in range(3)] == [True, True, False]


def test_the_number_of_remembered_clients_is_bounded() -> None:
    limit = RateLimit(1, lambda: 0.0)
    assert all(limit.allows(str(client)) for client in range(10_001))
    assert limit.allows("0")
    assert not limit.allows("10000")


def test_tls_with_a_certificate(tmp_path: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    file = tmp_path / "server.pem"
    certificate.private_key_and_cert_chain_pem.write_to_path(file)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    with serving(example_queries(), ServerOptions(port=0, certificate=file)) as server:
        assert server.url.startswith("https://")
        assert httpx.get(f"{server.url}/stores", verify=trusted, trust_env=False).status_code == 200
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.url}/stores", trust_env=False)


def test_clients_that_send_no_request_keep_no_one_from_being_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "max_connections", lambda: 20)
    with serving(example_queries(), ServerOptions(port=0, rate_limit=0)) as server, ExitStack() as opened:
        idle = [opened.enter_context(connected(server)) for _ in range(60)]
        idle[-1].sendall(b"GET /stores HTTP/1.1\r\nHost: lo")
        for path in ("/stores", "/health/live", "/stores"):
            assert httpx.get(f"{server.url}{path}", trust_env=False).status_code == 200
        assert all(each.recv(1) == b"" for each in idle[:40])


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET /stores HTTP/1.1\r\n",
        b"GET /stores HTTP/1.1\r\nHost: localhost\r\n\r\nGET /",
        b"POST /stop HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
    ],
    ids=["nothing", "head", "second head", "body"],
)
def test_a_client_that_does_not_finish_a_request_is_disconnected(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", 0.2)
    with serving(example_queries(), ServerOptions(port=0)) as server, connected(server) as slow:
        slow.settimeout(10)
        slow.sendall(begun)
        while slow.recv(4_096):
            slow.sendall(b"x")


def test_a_request_whose_head_does_not_end_is_refused_before_it_takes_memory(server: QueryServer) -> None:
    with connected(server) as client:
        client.settimeout(60)
        client.sendall(b"GET /stores HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 300_000)
        assert client.recv(4_096).startswith(b"HTTP/1.1 400 ")


def test_the_body_of_a_request_that_was_refused_is_no_head() -> None:
    options = ServerOptions(port=0, **TOKEN)  # type: ignore[arg-type] # texts
    with serving(example_queries(), options) as server, connected(server) as client:
        client.settimeout(60)
        client.sendall(b"POST /stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n")
        assert client.recv(4_096).startswith(b"HTTP/1.1 401 ")
        client.sendall(b"x" * 900_000 + b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(4_096).startswith(b"HTTP/1.1 200 ")


def test_a_port_in_use_is_an_error_of_one_line(server: QueryServer) -> None:
    port = int(server.url.rpartition(":")[2])
    queries = example_queries()
    with pytest.raises(ServerError, match=rf"cannot listen on '127.0.0.1:{port}': .*in use"):
        QueryServer(queries, single(queries), ServerOptions(port=port))


def test_a_certificate_that_cannot_be_read_is_an_error_of_one_line(tmp_path: Path) -> None:
    queries = example_queries()
    with pytest.raises(ServerError, match=r"cannot use the certificate"):
        QueryServer(queries, single(queries), ServerOptions(port=0, certificate=tmp_path / "none.pem"))
