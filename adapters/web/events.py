"""Changes of a store as server-sent events."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi.responses import StreamingResponse

from eddyline.adapters.web.models import StoreModels, freshness_model
from eddyline.adapters.web.problems import ProblemError
from eddyline.adapters.web.service import QueryService
from eddyline.application.queries.answers import Freshness

_KEEP_ALIVE_S = 15.0


class EventStream:
    """Follows the keys of a store, or without keys its batches; the id of an event is the number of its batch."""

    def __init__(self, service: QueryService, store: str, keys: Sequence[Any], models: StoreModels) -> None:
        self._service, self._store, self._keys, self._models = service, store, keys, models
        self._sent: Any = None

    def response(self, last_event_id: str | None) -> StreamingResponse:
        """Return the stream; a client that reconnects gets nothing for the batch that it has seen last.

        Raises:
            ProblemError: There are too many streams.
        """
        if self._service.streams >= self._service.options.max_streams:
            detail = f"there are {self._service.streams} event streams, which is the limit; try again later"
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "too-many-streams", detail, headers={"Retry-After": "5"})
        return StreamingResponse(self._events(last_event_id), media_type="text/event-stream")

    async def _events(self, last_event_id: str | None) -> AsyncIterator[str]:
        self._service.streams += 1
        try:
            yield "retry: 2000\n\n"
            batch: Any = self
            silent = 0.0
            while not self._service.closing.is_set():
                freshness = await self._service.run(partial(self._service.queries.freshness, self._store))
                event = None
                if freshness.batch != batch:
                    first, batch = batch is self, freshness.batch
                    event = await self._event(freshness)
                    if first and last_event_id == str(batch):
                        event = None
                if event is not None:
                    yield event
                silent = 0.0 if event else silent + self._service.options.poll_s
                if silent >= _KEEP_ALIVE_S:
                    silent = 0.0
                    yield ": keep-alive\n\n"
                await self._pause()
        finally:
            self._service.streams -= 1

    async def _event(self, freshness: Freshness) -> str | None:
        """Return the event of a batch, None if it has changed nothing that is followed."""
        if not self._keys:
            return _text("freshness", freshness.batch, freshness_model(freshness).model_dump_json(by_alias=True))
        answer = await self._service.run(partial(self._service.queries.get, self._store, *self._keys))
        rows = list(answer.rows)
        if rows == self._sent:
            return None
        self._sent = rows
        return _text("rows", answer.freshness.batch, self._models.to_json(answer))

    async def _pause(self) -> None:
        try:
            await asyncio.wait_for(self._service.closing.wait(), self._service.options.poll_s)
        except TimeoutError:
            return


def _text(event: str, batch: int | None, data: str) -> str:
    identity = "" if batch is None else f"id: {batch}\n"
    return f"event: {event}\n{identity}data: {data}\n\n"
