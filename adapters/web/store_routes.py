"""The routes of one store: each store has routes of its own, so that OpenAPI describes its types."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from eddyline.adapters.web.events import EventStream
from eddyline.adapters.web.forwarding import FORWARDED
from eddyline.adapters.web.keys import KeyParser
from eddyline.adapters.web.models import StoreModel, StoreModels, freshness_model, store_model
from eddyline.adapters.web.parameters import (
    EventsParameters,
    KeyParameters,
    KeysParameters,
    PageParameters,
    RangeParameters,
    VersionParameters,
    WindowsParameters,
)
from eddyline.adapters.web.problems import ProblemError, described
from eddyline.adapters.web.service import QueryService
from eddyline.application.queries.answers import Answer, StoreInfo
from eddyline.application.queries.parts import whole
from eddyline.application.topology.stores import StoreKind

_JSON = "application/json"
_Key = Annotated[str, Path(description="The key: text, or JSON if the type of the store's keys is not str.")]


class StoreRoutes:
    """Answers requests about one store."""

    def __init__(self, store: StoreInfo, service: QueryService) -> None:
        self._store = store
        self._service = service
        self._queries = service.queries
        self._keys = KeyParser(store)
        self._models = StoreModels(store)

    def router(self) -> APIRouter:
        """Return the routes that a store of this kind has."""
        router = APIRouter(prefix=f"/stores/{self._store.name}", tags=[self._store.name])

        def add(path: str, endpoint: Callable[..., Any], *statuses: int, summary: str) -> None:
            router.add_api_route(
                path,
                endpoint,
                response_model=self._models.rows,
                responses=described(400, 404, 412, *statuses),
                summary=summary,
                name=f"{self._store.name} {endpoint.__name__}",
            )

        router.add_api_route("", self.info, response_model=StoreModel, responses=described(), summary="Size, types and freshness")
        add("/keys", self.several, summary="The rows of several keys")
        add("/keys/{key:path}", self.key, summary="The rows of a key")
        add("/range", self.range, summary="The rows of a range of keys, in key order")
        if self._keys.have_prefixes:
            add("/prefix/{prefix:path}", self.prefix, summary="The rows whose keys begin with a text or with fields")
        add("/latest", self.latest, summary="The latest row of every key, in key order")
        if self._store.kind in {StoreKind.WINDOW, StoreKind.SESSION}:
            add("/windows/{key:path}", self.windows, summary="The windows or sessions of a key between two times")
        if self._store.kind is StoreKind.VERSIONED:
            add("/versions/{key:path}", self.versions, summary="The versions of a key, or the one at a time")
        router.add_api_route(
            "/events",
            self.events,
            response_class=StreamingResponse,
            responses={200: {"content": {"text/event-stream": {}}}, **described(400)},
            summary="Changes as server-sent events",
        )
        return router

    async def info(self) -> Response:
        """Return the size, the types and the freshness of the store."""
        store = await self._service.run(partial(self._queries.store, self._store.name))
        return Response(store_model(store).model_dump_json(by_alias=True, warnings=False), media_type=_JSON)

    async def key(self, request: Request, key: _Key, wanted: Annotated[KeyParameters, Query()]) -> Response:
        """Return the rows of a key: one, or all its windows, sessions or versions."""
        parsed = self._keys.key(key)
        query = partial(self._queries.get, self._store.name, parsed, **wanted.page())
        return await self._rows(request, wanted, query, _Unknown(key))

    async def several(self, request: Request, wanted: Annotated[KeysParameters, Query()]) -> Response:
        """Return the rows of several keys; keys that are not in the store have none."""
        keys = [self._keys.key(key) for key in wanted.key]
        return await self._rows(request, wanted, partial(self._queries.get, self._store.name, *keys, **wanted.page()))

    async def range(self, request: Request, wanted: Annotated[RangeParameters, Query()]) -> Response:
        """Return the rows from the first to the last key."""
        first = None if wanted.first is None else self._keys.key(wanted.first)
        last = None if wanted.last is None else self._keys.key(wanted.last)
        query = partial(self._queries.range, self._store.name, first, last, **wanted.page())
        return await self._rows(request, wanted, query)

    async def prefix(self, request: Request, prefix: str, wanted: Annotated[PageParameters, Query()]) -> Response:
        """Return the rows whose keys begin with a text, or with the fields in a JSON array."""
        parsed = self._keys.prefix(prefix)
        return await self._rows(request, wanted, partial(self._queries.prefix, self._store.name, parsed, **wanted.page()))

    async def latest(self, request: Request, wanted: Annotated[PageParameters, Query()]) -> Response:
        """Return the last window, session or version of every key."""
        return await self._rows(request, wanted, partial(self._queries.latest, self._store.name, **wanted.page()))

    async def windows(self, request: Request, key: _Key, wanted: Annotated[WindowsParameters, Query()]) -> Response:
        """Return the windows or sessions of a key that overlap the times."""
        parsed, times = self._keys.key(key), (wanted.first, wanted.last)
        query = partial(self._queries.windows, self._store.name, parsed, *times, **wanted.page())
        return await self._rows(request, wanted, query)

    async def versions(self, request: Request, key: _Key, wanted: Annotated[VersionParameters, Query()]) -> Response:
        """Return the versions of a key's value, or the one that was valid at a time."""
        parsed = self._keys.key(key)
        if wanted.as_of is None:
            query = partial(self._queries.get, self._store.name, parsed, **wanted.page())
        else:
            query = partial(self._queries.version, self._store.name, parsed, wanted.as_of)
        at = "" if wanted.as_of is None else f" at {wanted.as_of} ms"
        return await self._rows(request, wanted, query, _Unknown(key, at))

    async def events(self, request: Request, wanted: Annotated[EventsParameters, Query()]) -> Response:
        """Send the rows of keys, or all rows of the store that have changed, after each batch that changes them.

        Without keys, a stream begins with `freshness`, `rows` have the value null if they were deleted, and the header
        Last-Event-ID continues after an event; `missed` says that too much has changed since, so that the store must be read.
        """
        keys = [self._keys.key(key) for key in wanted.key]
        stream = EventStream(self._service, self._store.name, keys, self._models)
        return await stream.response(request.headers.get("last-event-id"))

    async def _rows(
        self, request: Request, wanted: PageParameters, query: Callable[[], Answer], unknown: "_Unknown | None" = None
    ) -> Response:
        """Answer a query, with the parts of the other instances that share the store.

        Args:
            request: The request.
            wanted: Its parameters.
            query: The query of the part that this instance holds.
            unknown: What the problem says if a query of one key finds no rows; None if that is an answer.
        """
        await self._service.wait(self._store.name, wanted)
        answer = await (self._service.run(query) if unknown is None else self._service.find(self._store.name, query))
        if FORWARDED in request.headers:
            return Response(self._models.part_to_json(answer), media_type=_JSON)
        if not answer.missing:
            found, content = answer.rows, self._models.to_json(answer)
        else:
            wait_s = min(wanted.timeout, self._service.options.max_timeout_s) if wanted.min_offset else 0.0
            parts = await self._service.parts(request, self._store.name, self._models.part(answer), wait_s)
            joined = whole(self._store.name, len(answer.partitions) + len(answer.missing), parts.values(), wanted.limit)
            found, content = joined.rows, self._models.whole_to_json(joined)
            answer = replace(answer, freshness=joined.freshness)
        if unknown is not None and not found and wanted.cursor is None:
            raise ProblemError(
                HTTPStatus.NOT_FOUND,
                "unknown-key",
                f"store '{self._store.name}' has no key '{unknown.key}'{unknown.at}",
                freshness=freshness_model(answer.freshness),
            )
        return Response(content, media_type=_JSON)


class _Unknown(NamedTuple):
    """A key that must exist, and when."""

    key: str
    at: str = ""


def no_such_path(path: str, stores: Sequence[StoreInfo]) -> ProblemError:
    """Return the problem of a path that has no route: the store is unknown, or its kind has no such query."""
    known = {store.name: store for store in stores}
    place, _, rest = path.removeprefix("/").partition("/")
    name, _, query = rest.partition("/")
    if place != "stores" or not name:
        return ProblemError(HTTPStatus.NOT_FOUND, "not-found", "there is nothing at this path; see /openapi.json")
    if name not in known:
        listed = ", ".join(f"'{store}'" for store in known) or "there is none yet"
        return ProblemError(
            HTTPStatus.NOT_FOUND, "unknown-store", f"unknown store '{name}'; stores: {listed}", choices=list(known)
        )
    kind = known[name].kind
    queries = ["keys", "range", "latest", "events"]
    queries += ["prefix"] if KeyParser(known[name]).have_prefixes else []
    queries += ["windows"] if kind in {StoreKind.WINDOW, StoreKind.SESSION} else []
    queries += ["versions"] if kind is StoreKind.VERSIONED else []
    asked = query.partition("/")[0]
    detail = f"store '{name}' is a {kind.value} store and has no '{asked}'; choose one of: {', '.join(queries)}"
    return ProblemError(HTTPStatus.NOT_FOUND, "unknown-query", detail, choices=queries)
