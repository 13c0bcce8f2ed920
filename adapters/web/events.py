"""Changes of a store as server-sent events."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi.responses import StreamingResponse

from eddyline.adapters.web.models import StoreModels, freshness_model
from eddyline.adapters.web.problems import ProblemError
from eddyline.adapters.web.service import QueryService
from eddyline.application.queries.answers import Answer
from eddyline.application.queries.subscriptions import Subscription

_KEEP_ALIVE_S = 15.0
_MOST_ROWS = 1_000


class EventStream:
    """Follows the keys of a store, or without keys all its rows.

    A stream holds a position in the changelog, not what the client has yet to read: a slow client gets the last change of each
    row, and an event says if it is so far behind that changes are missing.
    """

    def __init__(self, service: QueryService, store: str, keys: Sequence[Any], models: StoreModels) -> None:
        self._service, self._store, self._keys, self._models = service, store, keys, models
        self._wake = asyncio.Event()
        self._sent: Any = None

    async def response(self, last_event_id: str | None) -> StreamingResponse:
        """Return the stream; a client that reconnects gets what has changed since its last event.

        Raises:
            ProblemError: There are too many streams.
            QueryError: The id is none of an event of this stream.
        """
        if self._service.streams >= self._service.options.max_streams:
            detail = f"there are {self._service.streams} event streams, which is the limit; try again later"
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "too-many-streams", detail, headers={"Retry-After": "5"})
        loop = asyncio.get_running_loop()

        def on_change() -> None:
            with contextlib.suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(self._wake.set)

        after = None if self._keys else last_event_id
        self._service.streams += 1
        try:
            subscription = await self._service.run(partial(self._service.queries.subscribe, self._store, after, on_change))
        except BaseException:
            self._service.streams -= 1
            raise
        events = self._of_keys(last_event_id) if self._keys else self._of_store(subscription, is_new=last_event_id is None)
        return _EventResponse(self._streamed(events), partial(self._end, subscription))

    @staticmethod
    async def _streamed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        async for event in events:
            yield event

    def _end(self, subscription: Subscription) -> None:
        self._service.streams -= 1
        subscription.close()

    async def _of_store(self, subscription: Subscription, *, is_new: bool) -> AsyncIterator[str]:
        """Yield the rows that have changed after each batch, or how fresh the store is if none have."""
        sent = None
        while not self._service.closing.is_set():
            changed = await self._service.run(partial(subscription.take, _MOST_ROWS))
            freshness = await self._service.run(partial(self._service.queries.freshness, self._store))
            if changed.missed is not None:
                detail = "changes after 'from' and up to the id of this event are missing; read the store again"
                yield _text("missed", changed.position, json.dumps({"from": changed.missed, "detail": detail}))
            if changed.rows:
                yield _text("rows", changed.position, self._models.to_json(Answer(changed.rows, None, freshness)))
            elif is_new or sent not in (None, changed.position):
                yield _text("freshness", changed.position, freshness_model(freshness).model_dump_json(by_alias=True))
            is_new, sent = False, changed.position
            if not changed.has_more:
                async for event in self._pause():
                    yield event

    async def _of_keys(self, last_event_id: str | None) -> AsyncIterator[str]:
        """Yield the rows of the keys after each batch that changes them; the id of an event is the number of the batch.

        A client that reconnects with the number of the last batch gets the rows after the next one, changed or not: some of their
        changes may be in the model already, which the client has not seen.
        """
        batch: Any = self
        while not self._service.closing.is_set():
            freshness = await self._service.run(partial(self._service.queries.freshness, self._store))
            if freshness.batch != batch:
                is_first, batch = batch is self, freshness.batch
                if not (is_first and last_event_id == str(batch)):
                    answer = await self._service.run(partial(self._service.queries.get, self._store, *self._keys))
                    if list(answer.rows) != self._sent:
                        self._sent = list(answer.rows)
                        identity = None if answer.freshness.batch is None else str(answer.freshness.batch)
                        yield _text("rows", identity, self._models.to_json(answer))
            async for event in self._pause():
                yield event

    async def _pause(self) -> AsyncIterator[str]:
        """Wait for changes, or the end of the server; yield comments meanwhile, so that proxies keep the connection."""
        await self._waited(self._service.closing.wait(), self._service.options.event_interval_s)
        closing = asyncio.ensure_future(self._service.closing.wait())
        waking = asyncio.ensure_future(self._wake.wait())
        try:
            while not (await asyncio.wait((closing, waking), timeout=_KEEP_ALIVE_S, return_when=asyncio.FIRST_COMPLETED))[0]:
                yield ": keep-alive\n\n"
        finally:
            closing.cancel()
            waking.cancel()
            self._wake.clear()

    @staticmethod
    async def _waited(event: Any, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(event, seconds)


class _EventResponse(StreamingResponse):
    """Calls a function when the stream has ended, also if the client has gone before it began."""

    def __init__(self, events: AsyncIterator[str], on_end: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._on_end = on_end

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_end()


def _text(event: str, identity: str | None, data: str) -> str:
    return f"event: {event}\n" + ("" if identity is None else f"id: {identity}\n") + f"data: {data}\n\n"
