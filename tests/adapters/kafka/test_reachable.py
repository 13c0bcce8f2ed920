"""Servers that are not there, and servers that are no Kafka brokers, are found within seconds."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import trustme

from eddyline.adapters.kafka.clients.reachable import check_reachable
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings


def settings(addresses: str, **more: str) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": addresses, **{name.replace("_", "."): value for name, value in more.items()}})


@contextmanager
def server(answer: Callable[[socket.socket, bytes], None] | None, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Answer the first part of each request on a port; None accepts connections and says nothing."""
    accepted = []

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection = listener.accept()[0]
                accepted.append(connection)
                if answer is None:
                    continue
                with suppress(OSError):
                    talking = context.wrap_socket(connection, server_side=True) if context else connection
                    answer(talking, talking.recv(100))
                    talking.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
    for connection in accepted:
        connection.close()


def as_broker(connection: socket.socket, request: bytes) -> None:
    """Answer ApiVersions as a broker does: the correlation id of the request, no error, no APIs."""
    body = request[8:12] + bytes(2) + bytes(4)
    connection.sendall(len(body).to_bytes(4, "big") + body)


def says(text: bytes) -> Callable[[socket.socket, bytes], None]:
    return lambda connection, _request: connection.sendall(text)


def refusal(addresses: str, timeout_s: float = 5.0, **more: str) -> str:
    with pytest.raises(BrokerUnavailableError) as error:
        check_reachable(settings(addresses, **more), timeout_s)
    start = f"could not connect to Kafka at '{addresses}' (setting bootstrap.servers): "
    end = "; check the addresses, and that the brokers are running"
    assert str(error.value).startswith(start)
    assert str(error.value).endswith(end)
    return str(error.value).removeprefix(start).removesuffix(end)


@pytest.mark.parametrize("addresses", ["127.0.0.1:{port}", "PLAINTEXT://127.0.0.1:{port}", "127.0.0.1:1, 127.0.0.1:{port}"])
def test_one_broker_that_answers_is_enough(addresses: str) -> None:
    with server(as_broker) as port:
        check_reachable(settings(addresses.format(port=port)))


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        ("127.0.0.1:1", "connection refused"),
        ("127.0.0.1:1,127.0.0.1:2", "connection refused"),
        ("127.0.0.1:ninety", "'127.0.0.1:ninety' is not HOST:PORT"),
        ("127.0.0.1:1,x:y:z", "127.0.0.1:1: connection refused, x:y:z: 'x:y:z' is not HOST:PORT"),
    ],
)
def test_an_error_has_the_addresses_the_setting_and_the_reasons(addresses: str, reason: str) -> None:
    assert refusal(addresses) == reason


def test_an_ipv6_address() -> None:
    reason = refusal("[::1]:1")
    assert any(text in reason for text in ("connection refused", "cannot assign", "address family", "network is unreachable"))


def test_a_host_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def time_out(_address: object, timeout_s: float) -> None:
        assert timeout_s == 5
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", time_out)
    assert refusal("10.0.0.1:9092") == "no answer within 5 s"


def test_a_name_whose_lookup_takes_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = threading.Event()

    def look_up(_address: object, _timeout_s: float) -> None:
        looked_up.wait(120)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", look_up)
    started = time.monotonic()
    assert refusal("far.example:9092,x:y:z", timeout_s=0.2) == (
        "far.example:9092: no answer within 0.2 s, x:y:z: 'x:y:z' is not HOST:PORT"
    )
    assert time.monotonic() - started < 60
    looked_up.set()


def test_a_server_that_accepts_connections_and_says_nothing() -> None:
    with server(None) as port:
        reason = refusal(f"127.0.0.1:{port}", timeout_s=2.0)
        assert reason == "the server accepts connections, but does not answer within 2 s"
        reason = refusal(f"127.0.0.1:{port}", timeout_s=2.0, security_protocol="SASL_SSL")
        assert reason == "the server accepts connections, but does not answer within 2 s"


def test_an_http_server() -> None:
    web = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    thread = threading.Thread(target=web.serve_forever, daemon=True)
    thread.start()
    try:
        assert refusal(f"127.0.0.1:{web.server_port}") == "an HTTP server answered, not a Kafka broker"
    finally:
        web.shutdown()
        web.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "an HTTP server answered, not a Kafka broker"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "the server is not a Kafka broker; it answered 'SSH-2.0-OpenSSH_9.2'"),
        (b"\x1b[2Jowned", r"the server is not a Kafka broker; it answered '\x1b[2Jowned'"),
        (b"no", "the server is not a Kafka broker; it answered 'no'"),
        (b"\x15\x03\x03\x00\x02\x02\x0a", "the server uses TLS, but security.protocol does not"),
        (b"", "the server closed the connection; is it a Kafka broker, and is security.protocol right?"),
    ],
)
def test_a_server_with_another_protocol(text: bytes, reason: str) -> None:
    with server(says(text)) as port:
        assert refusal(f"127.0.0.1:{port}") == reason


def with_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return context


def test_a_broker_with_tls() -> None:
    with server(as_broker, with_tls()) as port:
        check_reachable(settings(f"127.0.0.1:{port}", security_protocol="ssl"))


def test_a_web_server_with_tls() -> None:
    with server(says(b"HTTP/1.1 400 Bad Request\r\n\r\n"), with_tls()) as port:
        assert refusal(f"127.0.0.1:{port}", security_protocol="SSL") == "an HTTP server answered, not a Kafka broker"


def test_a_client_with_tls_and_a_server_without() -> None:
    with server(says(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        reason = refusal(f"127.0.0.1:{port}", security_protocol="SASL_SSL")
        assert reason == "the server does not use TLS, but security.protocol does"


def test_a_failed_handshake_is_left_to_the_client_which_knows_the_certificates() -> None:
    context = with_tls()
    context.verify_mode = ssl.CERT_REQUIRED
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with server(as_broker, context) as port:
        check_reachable(settings(f"127.0.0.1:{port}", security_protocol="SSL"))
