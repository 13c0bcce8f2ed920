"""Checks whether a Kafka broker is ready, with one request of its wire protocol."""

import socket
import struct

_METADATA = 3
_VERSION = 1
_TIMEOUT_S = 2.0


def is_broker_ready(host: str, port: int) -> bool:
    """Return whether the broker responds with at least one live broker, as it does once it has joined its cluster."""
    client = b"probe"
    body = struct.pack(">hhih", _METADATA, _VERSION, 1, len(client)) + client + struct.pack(">i", 0)
    try:
        with socket.create_connection((host, port), timeout=_TIMEOUT_S) as connection:
            connection.settimeout(_TIMEOUT_S)
            connection.sendall(struct.pack(">i", len(body)) + body)
            response = _receive(connection, struct.unpack(">i", _receive(connection, 4))[0])
        _correlation_id, brokers = struct.unpack(">ii", response[:8])
    except (OSError, EOFError, struct.error):
        return False
    return bool(brokers > 0)


def _receive(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError("the broker closed the connection")
        data += part
    return data
