"""Asks a Kafka broker, with two messages of its wire protocol, whether it serves."""

import socket
import struct

_METADATA = 3
_VERSION = 1
_TIMEOUT_S = 2.0


def knows_a_broker(host: str, port: int) -> bool:
    """Whether the broker answers with at least one live broker (itself), which it does once it takes part in its cluster."""
    client = b"probe"
    body = struct.pack(">hhih", _METADATA, _VERSION, 1, len(client)) + client + struct.pack(">i", 0)
    try:
        with socket.create_connection((host, port), timeout=_TIMEOUT_S) as connection:
            connection.settimeout(_TIMEOUT_S)
            connection.sendall(struct.pack(">i", len(body)) + body)
            answer = _receive(connection, struct.unpack(">i", _receive(connection, 4))[0])
    except (OSError, EOFError):
        return False
    _correlation, brokers = struct.unpack(">ii", answer[:8])
    return bool(brokers > 0)


def _receive(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError("the broker closed the connection")
        data += part
    return data
