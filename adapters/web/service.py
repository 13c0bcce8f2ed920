"""What all routes use: queries in threads, bounded waits, and the parts of other instances."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from typing import Any, Self, TypeVar
from urllib.parse import quote

from fastapi import Request

from eddyline.adapters.web.forwarding import Forwarding
from eddyline.adapters.web.models import KeyModel
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.parameters import FreshParameters
from eddyline.adapters.web.problems import ProblemError
from eddyline.application.queries.hosts import Hosts
from eddyline.application.queries.parts import AnswerPart, whole
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

    async def find(self, store: str, query: Callable[[], T]) -> T:
        """Return what a query of one key returns; it runs in a thread only if it may take long."""
        return query() if self.queries.finds_at_once(store) else await self.run(query)

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

    async def locate(self, request: Request, store: str, text: str, key: Any) -> KeyModel:
        """Return where the rows of a key are.

        Args:
            request: The request.
            store: The store.
            text: The key, as in the request.
            key: The key.

        Raises:
            ProblemError: No instance has rows of the key, or one does not answer.
        """
        answer = await self.run(partial(self.queries.get, store, key, limit=1))
        if answer.rows or not answer.missing:
            partition = answer.positions[0].partition if answer.positions else None
            return KeyModel(host=self.hosts.this_host, partition=partition)
        own = AnswerPart([], [], answer.partitions, has_more=False, freshness=answer.freshness)
        path = f"/stores/{store}/keys?limit=1&key={quote(text, safe='')}"
        parts = await self.parts(request, store, own, path=path)
        whole(store, len(answer.partitions) + len(answer.missing), parts.values(), 1)
        for host, part in parts.items():
            if part.positions:
                return KeyModel(host=host, partition=part.positions[0].partition)
        raise ProblemError(HTTPStatus.NOT_FOUND, "unknown-key", f"no instance has rows of key '{text}' in store '{store}'")

    async def parts(
        self, request: Request, store: str, own: AnswerPart, wait_s: float = 0.0, path: str | None = None
    ) -> dict[str, AnswerPart]:
        """Return the parts of an answer by instance, of which this one has `own`; see `Forwarding.part`.

        Raises:
            ProblemError: An instance does not answer.
        """
        others = await self.run(lambda: self.hosts.others(store))
        found = await asyncio.gather(*(self._forwarding.part(request, host, wait_s, path) for host in others))
        return {self.hosts.this_host: own, **dict(zip(others, found, strict=True))}
