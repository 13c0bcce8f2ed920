"""Connections of clients: one that sends no request does not keep others from being answered."""

import asyncio
import resource
from typing import Any, Final, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

REQUEST_S: Final = 10.0
"""How long a client may take to send the head of a request."""
_MAX_CONNECTIONS: Final = 1_000


def max_connections() -> int:
    """Return how many connections a server keeps: at most half of the files that this process may open."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_CONNECTIONS if limit == resource.RLIM_INFINITY else min(_MAX_CONNECTIONS, limit // 2)


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type] # chosen by the libraries that are installed
    """A connection that is closed if its client sends no request in time, or if others need its place meanwhile."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.idle_since = self.loop.time()
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a request; if there are too many connections, close the one that has been idle longest."""
        super().connection_made(transport)
        self._expect_request()
        if len(self.connections) > max_connections():
            idle = [other for other in self.connections if isinstance(other, Connection) and other.is_idle]
            min(idle, key=lambda other: other.idle_since).close()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; a client that sends it slowly gets no more time."""
        was_idle = self.is_idle
        super().data_received(data)
        if not self.is_idle:
            self._cancel()
        elif not was_idle or self._deadline is None:
            self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._cancel()
        super().connection_lost(exc)

    def close(self) -> None:
        """Close the connection unless a request is being answered."""
        if self.is_idle and not self.transport.is_closing():
            self.transport.close()

    def _expect_request(self) -> None:
        self._cancel()
        self.idle_since = self.loop.time()
        self._deadline = cast("asyncio.AbstractEventLoop", self.loop).call_later(REQUEST_S, self.close)

    def _cancel(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
