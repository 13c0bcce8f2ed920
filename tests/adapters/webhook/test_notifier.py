"""Alerts over HTTP, posted to a real server."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from eddyline.adapters.webhook import notifier
from eddyline.adapters.webhook.notifier import WebhookNotifier
from eddyline.application.ports.notifier import Alert, AlertRefusedError, NotifierUnavailableError


class Receiver(ThreadingHTTPServer):
    """Answers with the codes in `answers`, then with 200, and keeps the requests."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.released = threading.Event()
        self.hangs = False
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/secret-path"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), json.loads(body)))
        if self.server.hangs:
            self.server.released.wait(30)
            return
        code = self.server.answers.pop(0) if self.server.answers else 200
        self.send_response(code)
        if code in (301, 307):
            self.send_header("Location", f"{self.server.url}-elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.server.requests.append(("GET", {}, None))

    def log_message(self, *_arguments: Any) -> None:
        """Be silent."""


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    monkeypatch.setattr(notifier, "_BACKOFFS_S", (0.0, 0.0))
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def alert(url: str) -> Alert:
    return Alert("deals/7", url, "A large deal", "20,000 für Ann")


def test_an_alert_is_posted_as_json_with_a_key_for_duplicates(receiver: Receiver) -> None:
    WebhookNotifier(5.0, "Bearer abc").send(alert(receiver.url))
    ((path, headers, body),) = receiver.requests
    assert (path, body) == ("/secret-path", {"id": "deals/7", "subject": "A large deal", "body": "20,000 für Ann"})
    assert (headers["Content-Type"], headers["Authorization"]) == ("application/json", "Bearer abc")
    assert len(headers["Idempotency-Key"]) == 64


@pytest.mark.parametrize("code", [500, 503, 429])
def test_a_temporary_failure_is_repeated_with_the_same_key(receiver: Receiver, code: int) -> None:
    receiver.answers = [code, code]
    WebhookNotifier(5.0).send(alert(receiver.url))
    assert len({headers["Idempotency-Key"] for _, headers, _ in receiver.requests}) == 1
    assert len(receiver.requests) == 3


def test_a_lasting_temporary_failure_leaves_the_alert_for_later(receiver: Receiver) -> None:
    receiver.answers = [503, 503, 503]
    with pytest.raises(NotifierUnavailableError, match="cannot be reached: it answered 503") as raised:
        WebhookNotifier(5.0).send(alert(receiver.url))
    assert "secret-path" not in str(raised.value)


@pytest.mark.parametrize("code", [301, 307, 400, 404])
def test_redirects_and_refusals_are_final_and_nothing_goes_elsewhere(receiver: Receiver, code: int) -> None:
    receiver.answers = [code]
    with pytest.raises(AlertRefusedError, match=rf"webhook 'http://127.0.0.1:\d+' answered {code}"):
        WebhookNotifier(5.0).send(alert(receiver.url))
    assert len(receiver.requests) == 1


def test_a_receiver_that_does_not_answer_is_left_after_the_timeout(receiver: Receiver) -> None:
    receiver.hangs = True
    with pytest.raises(NotifierUnavailableError, match="timed out"):
        WebhookNotifier(0.05).send(alert(receiver.url))


def test_a_receiver_that_is_not_there_is_unavailable(receiver: Receiver) -> None:
    url = receiver.url
    receiver.server_close()
    with pytest.raises(NotifierUnavailableError, match="refused"):
        WebhookNotifier(5.0).send(alert(url))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/x", "ann@example.org", "http://", "gopher://x"])
def test_anything_but_http_and_https_is_refused(url: str) -> None:
    with pytest.raises(AlertRefusedError, match="is not a URL of a webhook; write https://HOST/PATH"):
        WebhookNotifier(5.0).send(alert(url))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://user:secret@host/secret",
        "http://user:secret@127.0.0.1:1/",
        "http://127.0.0.1:1?key=secret",
        "http://127.0.0.1:1#secret",
        "http://127.0.0.1:1/secret path",
        "http://127.0.0.1:port/secret",
        "hooks.example.org/secret",
        "http:/hooks.example.org/secret",
        "http://127.0.0.1:1/\nsecret",
    ],
)
def test_no_error_shows_what_may_be_secret_in_a_url(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(notifier, "_BACKOFFS_S", ())
    with pytest.raises((AlertRefusedError, NotifierUnavailableError)) as raised:
        WebhookNotifier().send(Alert("1", url, "subject", "body"))
    assert "secret" not in str(raised.value)
    assert "'" in str(raised.value)
