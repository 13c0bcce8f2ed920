"""Connections of clients: one that sends no request, or reads no answer, does not keep others from being answered."""

import asyncio
import resource
import socket
from typing import Any, Final, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

REQUEST_S: Final = 10.0
"""How long a client may take to send the head of a request, and how long to send its body."""
STALLED_S: Final = 30.0
"""How long a client may read nothing of what the system keeps for it, or less than 48 kB of what this process keeps."""
_MAX_CONNECTIONS: Final = 1_000
_MAX_HEAD: Final = 262_144
"""The maximum size of the head of a request in bytes, which is also the most that asyncio reads at once."""


def max_connections() -> int:
    """Return how many connections a server keeps: at most half of the files that this process may open."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_CONNECTIONS if limit == resource.RLIM_INFINITY else min(_MAX_CONNECTIONS, limit // 2)


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type] # chosen by the libraries that are installed
    """A connection that is closed if its client sends no request or reads no answer in time, or if others need its place."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.idle_since = self.loop.time()
        self._head_bytes, self._is_upgraded = 0, False
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a request; if there are too many connections, close the one that has been idle longest."""
        super().connection_made(transport)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            connection = transport.get_extra_info("socket")
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(STALLED_S * 1_000))
        self._expect_request()
        if len(self.connections) > max_connections():
            idle = [other for other in self.connections if isinstance(other, Connection) and other.is_idle]
            min(idle, key=lambda other: other.idle_since).close()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; a client that sends it slowly gets no more time, and a head without an end no more memory."""
        was_idle = self.is_idle
        super().data_received(data)
        sends_body = self.cycle is not None and bool(self.cycle.more_body)
        if self._is_upgraded or not (self.is_idle or sends_body):
            self._cancel()
        elif was_idle != self.is_idle or self._deadline is None:
            self._expect_request()
        self._head_bytes = self._head_bytes + len(data) if self.is_idle and not sends_body else 0
        if self._head_bytes > _MAX_HEAD and not self._is_upgraded and not self.transport.is_closing():
            self.send_400_response(f"The head of the request has more than {_MAX_HEAD} bytes.")

    def handle_websocket_upgrade(self, *arguments: Any) -> None:
        """Leave the connection to a web socket, which stays open."""
        self._is_upgraded = True
        super().handle_websocket_upgrade(*arguments)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines."""
        self._cancel()
        self._is_read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the client has read what it was sent; if it does not in time, end the connection."""
        super().pause_writing()
        self._stalled = cast("asyncio.AbstractEventLoop", self.loop).call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Send on."""
        self._is_read()
        super().resume_writing()

    def close(self) -> None:
        """Close the connection unless a request is being answered whose body has arrived."""
        if (self.is_idle or self.cycle.more_body) and not self.transport.is_closing():
            self.transport.close()

    def _expect_request(self) -> None:
        self._cancel()
        self.idle_since = self.loop.time()
        self._deadline = cast("asyncio.AbstractEventLoop", self.loop).call_later(REQUEST_S, self.close)

    def _is_read(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _cancel(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
