"""Asks a server whether it speaks Kafka's protocol, without a client: a client would retry whatever the server is."""

import socket
import ssl
from typing import Final

from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.escaping import escaped

_API_VERSIONS: Final = b"\x00\x12\x00\x00"
"""ApiVersions, version 0, which every broker answers, also before a client has authenticated (KIP-35)."""
_CORRELATION_ID: Final = b"\r\n\r\n"
"""A broker returns the number that a request has. This one ends a line for servers that read text, so that they answer, too."""
_NO_CLIENT_ID: Final = b"\xff\xff"
_REQUEST: Final = _API_VERSIONS + _CORRELATION_ID + _NO_CLIENT_ID
_SIZE_BYTES: Final = 4
_HEADER_BYTES: Final = 8
_READ_BYTES: Final = 512
_SHOWN: Final = 40
_TLS_ALERT: Final = b"\x15\x03"
_WITH_TLS: Final = frozenset({"ssl", "sasl_ssl"})
_NOT_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG"})


def why_no_broker(host: str, port: int, timeout_s: float, *, security_protocol: str = "plaintext") -> str | None:
    """Return why a server is no Kafka broker, None if it is one.

    A failed TLS handshake is left to the client, which knows the certificates, unless the server does not speak TLS.

    Args:
        host: The name or address of the server.
        port: The port of the server.
        timeout_s: The timeout for both connecting and receiving the response, in seconds.
        security_protocol: Kafka's `security.protocol`.
    """
    deadline = Deadline(timeout_s)
    try:
        connection = socket.create_connection((host, port), timeout_s)
    except TimeoutError:
        return f"no answer within {timeout_s:g} s"
    except (OSError, OverflowError, UnicodeError) as error:
        return (getattr(error, "strerror", None) or str(error)).lower()
    try:
        with connection:
            answer = _answer(connection, host, deadline, with_tls=security_protocol.lower() in _WITH_TLS)
    except TimeoutError:
        return f"the server accepts connections, but does not answer within {timeout_s:g} s"
    except ssl.SSLError as error:
        return "the server does not use TLS, but security.protocol does" if error.reason in _NOT_TLS else None
    except OSError:
        answer = b""
    return _reason(answer)


def _answer(connection: socket.socket, host: str, deadline: Deadline, *, with_tls: bool) -> bytes:
    """Return the beginning of the answer to a request, after a TLS handshake if there is to be one."""
    if not with_tls:
        return _beginning(connection, deadline)
    connection.settimeout(deadline.remaining_s(at_least=0.1))
    with _without_verification().wrap_socket(connection, server_hostname=host or None) as encrypted:
        return _beginning(encrypted, deadline)


def _beginning(connection: socket.socket, deadline: Deadline) -> bytes:
    """Return the beginning of the answer to a request, at least as much as the header of a broker's if it comes."""
    connection.settimeout(deadline.remaining_s(at_least=0.1))
    connection.sendall(len(_REQUEST).to_bytes(_SIZE_BYTES, "big") + _REQUEST)
    answer = b""
    while len(answer) < _HEADER_BYTES:
        connection.settimeout(deadline.remaining_s(at_least=0.001))
        part = connection.recv(_READ_BYTES)
        if not part:
            break
        answer += part
    return answer


def _reason(answer: bytes) -> str | None:
    """Return why an answer is not that of a broker, None if it is."""
    if answer[_SIZE_BYTES:_HEADER_BYTES] == _CORRELATION_ID:
        return None
    if not answer:
        return "the server closed the connection; is it a Kafka broker, and is security.protocol right?"
    if answer.startswith(_TLS_ALERT):
        return "the server uses TLS, but security.protocol does not"
    if answer.startswith(b"HTTP/") or answer.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "an HTTP server answered, not a Kafka broker"
    beginning = escaped(answer.partition(b"\n")[0].rstrip().decode("latin-1")[:_SHOWN])
    return f"the server is not a Kafka broker; it answered '{beginning}'"


def _without_verification() -> ssl.SSLContext:
    """Return a context that accepts every certificate: no secret is sent, and the client verifies the server afterwards."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
