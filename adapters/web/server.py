"""The query server: the web application on uvicorn."""

import asyncio
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from eddyline.adapters.web.app import query_app
from eddyline.adapters.web.connections import Connection
from eddyline.adapters.web.operations import Operations
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.runs import NO_RUNS, Runs
from eddyline.adapters.web.tokens import publish, withdraw
from eddyline.application.queries.hosts import Hosts
from eddyline.application.queries.state_queries import StateQueries

_GRACE_S = 5
_SWITCH_S = 0.0005
"""How long the thread that applies changes may hold up an answer each time: Python's default is 5 ms."""


class ServerError(Exception):
    """The server cannot start; the message says why."""


class QueryServer:
    """Answers queries until it is stopped; the port is bound at once, `run` blocks.

    Args:
        queries: The state.
        hosts: Returns the instances, from the address `HOST:PORT` of this server.
        options: Where to listen, and who may ask.
        runs: The runs beside which the server answers.
        operations: What operators may do.
        page: The page for people, an ASGI application; None for a server without one.

    `address` is what people open: the URL, with the token if it was generated.

    Raises:
        ServerError: The address cannot be bound.
    """

    def __init__(
        self,
        queries: StateQueries,
        hosts: Callable[[str], Hosts],
        options: ServerOptions,
        runs: Runs = NO_RUNS,
        operations: Operations | None = None,
        page: ASGIApp | None = None,
    ) -> None:
        self._socket = _bound(options)
        self._port = port = self._socket.getsockname()[1]
        address = f"[{options.host}]:{port}" if ":" in options.host else f"{options.host}:{port}"
        self.url = f"{options.scheme}://{address}"
        app, service, self._sessions = query_app(queries, hosts(address), replace(options, port=port), runs, operations, page)
        self.address = self.url if not options.generated else f"{self.url}/?token={options.operator_token}"
        self._generated = options.operator_token if options.generated else None
        if self._generated is not None:
            publish(self.url, self._generated)
        config = uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            ws="none" if page is None else "websockets-sansio",
            http=Connection,
            timeout_graceful_shutdown=_GRACE_S,
            ssl_certfile=options.certificate,
            ssl_keyfile=options.private_key,
        )
        self._server = _Server(_loaded(config, options), service.closing)

    def run(self, on_started: Callable[[], None] | None = None) -> None:
        """Answer requests until `stop` is called; `on_started` is called when the first one can be sent.

        Threads of this process take turns more often from now on.
        """
        self._server.on_started = on_started
        sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_S))
        try:
            self._server.run(sockets=[self._socket])
        finally:
            if self._generated is not None:
                withdraw(self.url, self._generated)

    def left(self) -> dict[str, Any]:
        """Return what `ServerOptions.following` takes, as JSON: the port, the generated token and the sessions."""
        return {"port": self._port, "token": self._generated, "sessions": self._sessions.left()}

    def stop(self) -> None:
        """Let `run` return when the current requests are answered; may be called from any thread."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """Calls back when it has started, and ends event streams before it waits for connections to close."""

    on_started: Callable[[], None] | None = None

    def __init__(self, config: uvicorn.Config, closing: asyncio.Event) -> None:
        super().__init__(config)
        self._closing = closing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self.on_started is not None:
            self.on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._closing.set()
        await super().shutdown(sockets)


def _loaded(config: uvicorn.Config, options: ServerOptions) -> uvicorn.Config:
    try:
        config.load()
    except (OSError, ValueError) as error:
        if options.certificate is None:
            raise
        raise ServerError(
            f"cannot use the certificate '{options.certificate}' and its key: {_reason(error)}; check server.tls.*"
        ) from error
    return config


def _bound(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    create = partial(socket.create_server, family=family, backlog=2_048)
    try:
        return create((options.host, options.port))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ServerError(
            f"cannot listen on '{options.host}:{options.port}': {reason}; choose another address with server.host and server.port"
        ) from error


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
