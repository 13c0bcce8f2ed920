"""The login of browsers, and what keeps other pages from using the server in their name."""

from collections.abc import Iterator
from contextlib import contextmanager
from socket import create_connection
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from eddyline.adapters.web import access, app, connections
from eddyline.adapters.web.login import PAGE_PATH
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.roles import Role
from eddyline.adapters.web.sessions import LIFETIME_S, Sessions
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

TOKEN = {"token": "sesame"}
LOGIN = {"username": "ada", "password": "p:w"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


async def page(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer requests with a text, and accept web sockets."""
    if scope["type"] == "http":
        await PlainTextResponse("the page")(scope, receive, send)
        return
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": "hello"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


@contextmanager
def client_of(**options: Any) -> Iterator[httpx.Client]:
    with (
        serving(example_queries(), ServerOptions(port=0, **options), page=page) as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("settings", "fields"),
    [(TOKEN, {"token": "sesame"}), (LOGIN, LOGIN), (TOKEN | LOGIN, {"token": "sesame"})],
)
def test_a_login_opens_the_page_and_the_queries_until_the_logout(settings: dict[str, str], fields: dict[str, str]) -> None:
    with client_of(**settings) as client:
        asked = client.get("/ui/stores?store=a&x=1", headers=HTML)
        assert (asked.status_code, asked.headers["location"]) == (303, "/login?next=/ui/stores%3Fstore%3Da%26x%3D1")
        form = client.get(asked.headers["location"])
        assert 'value="/ui/stores?store=a&amp;x=1"' in form.text
        answer = client.post("/login", data=fields | {"next": "/ui/stores?store=a&x=1"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/ui/stores?store=a&x=1")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "secure" not in cookie
        assert client.get("/ui/stores", headers=HTML).text == "the page"
        assert client.get("/stores").status_code == 200
        before = httpx.Cookies(client.cookies)
        assert client.post("/logout").status_code == 303
        client.cookies = before
        assert client.get("/stores").status_code == 401


@pytest.mark.parametrize("fields", [{"token": "wrong"}, {"token": ""}, {}, {"username": "ada", "password": "p:w"}])
def test_wrong_credentials_begin_no_session(fields: dict[str, str]) -> None:
    with client_of(**TOKEN) as client:
        answer = client.post("/login", data=fields)
        assert answer.status_code == 401
        assert 'role="alert"' in answer.text
        assert not client.cookies


def test_only_people_are_redirected_to_the_login() -> None:
    with client_of(**TOKEN) as client:
        assert client.get("/", headers=HTML).status_code == 303
        assert client.get("/ui/", headers=HTML).status_code == 303
        assert client.get("/ui/").status_code == 401
        assert client.get("/stores", headers=HTML).status_code == 401


def test_a_server_without_credentials_leads_to_the_page_at_once() -> None:
    with client_of() as client:
        assert client.get("/").headers["location"] == f"{PAGE_PATH}/"
        assert client.get("/ui").headers["location"] == f"{PAGE_PATH}/"
        assert client.get("/ui/").text == "the page"


@pytest.mark.parametrize(
    "target", ["https://evil.example", "//evil.example", "/ui//evil.example", "/ui/\\evil", "/stores", "ui/"]
)
def test_a_login_leads_nowhere_but_to_the_page(target: str) -> None:
    with client_of(**TOKEN) as client:
        assert client.post("/login", data=TOKEN | {"next": target}).headers["location"] == "/ui/"


def test_a_large_login_is_refused() -> None:
    with client_of(**TOKEN) as client:
        assert client.post("/login", data={"token": "x" * 10_000}).status_code == 413


def test_the_form_escapes_what_it_is_given() -> None:
    with client_of(**TOKEN) as client:
        assert "<script>" not in client.get("/login", params={"next": '/ui/"><script>alert(1)</script>'}).text


def test_forms_of_other_pages_are_refused() -> None:
    with client_of(**TOKEN) as client:
        foreign = client.post("/login", data=TOKEN, headers={"Origin": "https://evil.example"})
        assert (foreign.status_code, foreign.json()["type"]) == (403, "urn:eddyline:problem:foreign-origin")
        own = {"Origin": str(client.base_url).rstrip("/")}
        assert client.post("/login", data=TOKEN, headers=own).status_code == 303


def test_scripts_of_other_pages_cannot_read_the_page() -> None:
    with client_of() as client:
        assert client.get("/ui/", headers={"Origin": "https://evil.example"}).status_code == 403
        assert client.get("/ui/", headers={"Origin": str(client.base_url).rstrip("/")}).status_code == 200


def test_a_web_socket_needs_credentials_and_a_page_of_this_server() -> None:
    with client_of(**TOKEN) as client:
        url = str(client.base_url).replace("http", "ws", 1).rstrip("/") + "/ui/socket"
        own = str(client.base_url).rstrip("/")
        client.post("/login", data=TOKEN)
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
        for headers, origin in (({}, own), (cookie, "https://evil.example"), ({"Authorization": "Bearer no"}, own)):
            with (
                pytest.raises(InvalidStatus, match="403"),
                connect(url, additional_headers={**headers, "Origin": origin}, proxy=None),
            ):
                pass
        for headers in (cookie, {"Authorization": "Bearer sesame"}):
            with connect(url, additional_headers={**headers, "Origin": own}, proxy=None) as socket:
                assert socket.recv(10) == "hello"


@pytest.mark.parametrize("by", ["logout", "age"])
def test_the_web_sockets_of_a_session_end_with_it(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(app, "Sessions", lambda **given: Sessions(lambda: now[0], **given))
    with client_of(**TOKEN) as client:
        url = str(client.base_url).replace("http", "ws", 1).rstrip("/") + "/ui/socket"
        client.post("/login", data=TOKEN)
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        with connect(url, additional_headers={"Cookie": cookie}, proxy=None) as socket:
            assert socket.recv(10) == "hello"
            now[0] = LIFETIME_S - 1
            socket.send("still here")
            assert socket.recv(10) == "still here"
            if by == "logout":
                client.post("/logout")
            else:
                now[0] = LIFETIME_S
            socket.send("still here")
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


def test_a_web_socket_stays_open_longer_than_a_client_may_take_for_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", 0.2)
    with client_of() as client, connect(str(client.base_url).replace("http", "ws", 1) + "/ui/socket", proxy=None) as socket:
        assert socket.recv(10) == "hello"
        with create_connection((client.base_url.host, client.base_url.port or 0)) as later:
            assert later.recv(1) == b""
        socket.send("still here")
        assert socket.recv(10) == "still here"


def test_more_requests_than_a_server_answers_at_once_are_refused_but_for_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "max_connections", lambda: 1)
    with client_of(rate_limit=0) as client:
        with connect(str(client.base_url).replace("http", "ws", 1).rstrip("/") + "/ui/socket", proxy=None) as socket:
            assert socket.recv(10) == "hello"
            refused = client.get("/stores")
            assert (refused.status_code, refused.json()["type"]) == (503, "urn:eddyline:problem:overloaded")
            assert client.get("/health/live").status_code == 200
        while client.get("/stores").status_code != 200:
            assert client.get("/health/ready").status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, 200),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200),
    ],
)
def test_a_page_of_another_site_leads_people_to_the_page_and_does_nothing_else(headers: dict[str, str], status: int) -> None:
    with client_of() as client:
        assert client.get("/ui/", headers=headers).status_code == status


def test_a_web_socket_on_loopback_needs_a_name_of_loopback() -> None:
    with client_of() as client:
        address = (client.base_url.host, client.base_url.port)
        with (
            pytest.raises(InvalidStatus, match="403"),
            connect("ws://evil.example/ui/socket", sock=create_connection(address)),
        ):
            pass
        with connect("ws://localhost/ui/socket", sock=create_connection(address)) as socket:
            assert socket.recv(10) == "hello"


def test_a_server_without_a_page_has_no_login() -> None:
    with serving(example_queries(), ServerOptions(port=0)) as server:
        paths = ("/", "/ui/", "/login")
        assert {httpx.get(f"{server.url}{path}", trust_env=False).status_code for path in paths} == {404}


def test_a_session_ends_with_its_time() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    secret = sessions.begin(Role.OPERATOR)
    now[0] = LIFETIME_S - 1
    assert sessions.role(secret) is Role.OPERATOR
    assert not sessions.role(secret + "x")
    now[0] = LIFETIME_S
    assert not sessions.role(secret)


def test_the_number_of_sessions_is_bounded() -> None:
    sessions = Sessions(lambda: 0.0)
    first, *others = [sessions.begin(Role.OPERATOR) for _ in range(1_001)]
    assert not sessions.role(first)
    assert all(map(sessions.role, others))
