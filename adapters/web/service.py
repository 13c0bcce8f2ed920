"""What all routes use: queries in threads, bounded waits, and requests that another instance answers."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, Self, TypeVar

from fastapi import Request, Response

from eddyline.adapters.web.forwarding import Forwarding
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.parameters import FreshParameters
from eddyline.adapters.web.problems import ProblemError
from eddyline.application.queries.hosts import Hosts
from eddyline.application.queries.state_queries import StateQueries

T = TypeVar("T")

_READERS = 8


class QueryService:
    """Runs queries for the routes; use it as an async context manager.

    Attributes:
        queries: The state.
        hosts: The instances.
        options: The options of the server.
        closing: Set when the server stops, so that event streams end.
    """

    def __init__(self, queries: StateQueries, hosts: Hosts, options: ServerOptions) -> None:
        self.queries, self.hosts, self.options = queries, hosts, options
        self.closing = asyncio.Event()
        self.streams = 0
        self._waiting = 0
        self._forwarding = Forwarding(options)
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="eddyline-query")
        self._waiters = ThreadPoolExecutor(options.max_waiting, thread_name_prefix="eddyline-wait")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._forwarding.close()
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._waiters.shutdown(wait=False, cancel_futures=True)

    async def run(self, query: Callable[[], T]) -> T:
        """Return what a query returns; it runs in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, query)

    async def wait(self, store: str, wanted: FreshParameters) -> None:
        """Wait until a store includes the offsets that a request asks for.

        Raises:
            NotFreshError: It does not in time.
            ProblemError: Too many requests wait.
        """
        offsets = wanted.offsets()
        if not offsets:
            return
        if self._waiting >= self.options.max_waiting:
            detail = f"{self._waiting} requests wait for offsets, which is the limit; try again later"
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "too-many-waiting", detail, headers={"Retry-After": "1"})
        timeout = min(wanted.timeout, self.options.max_timeout_s)
        self._waiting += 1
        waited = asyncio.get_running_loop().run_in_executor(self._waiters, lambda: self.queries.wait_for(store, offsets, timeout))
        waited.add_done_callback(self._waited)  # also if the client has gone: the thread waits on
        await waited

    def _waited(self, waited: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not waited.cancelled():
            waited.exception()

    async def elsewhere(self, request: Request, store: str, keys: Sequence[Any]) -> Response | None:
        """Return the answer of the instance that holds these keys, None if this one does.

        Raises:
            ProblemError: Several instances hold them, the other one cannot be reached, or a forwarded request is wrong here.
        """
        host = await self.other_host(store, keys)
        return None if host is None else await self._forwarding.forward(request, host)

    async def other_host(self, store: str, keys: Sequence[Any]) -> str | None:
        """Return the instance that holds these keys, None if this one does.

        Raises:
            ProblemError: Several instances hold them.
        """
        found = await self.run(lambda: {self.hosts.of_key(store, key).host for key in keys})
        if len(found) > 1:
            detail = f"the keys are held by several instances; ask for the keys of each alone, see /hosts/{store}/KEY"
            raise ProblemError(HTTPStatus.BAD_REQUEST, "several-instances", detail, choices=sorted(found))
        host = found.pop()
        return None if host == self.hosts.this_host else host
