"""Stores are found while the server runs: a flow creates the changelog of a store when it first writes to it."""

import asyncio
import time

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from eddyline.adapters.web.keys import KeyParser
from eddyline.adapters.web.service import QueryService
from eddyline.adapters.web.store_routes import StoreRoutes
from eddyline.application.queries.answers import StoreInfo

_DESCRIPTION_PATH = "/openapi.json"


class StoreDiscovery:
    """The stores that have routes; new ones are looked for when a request names a store without routes."""

    def __init__(self, service: QueryService) -> None:
        self._service = service
        self._stores: dict[str, StoreInfo] = {}
        self._keys: dict[str, KeyParser] = {}
        self._looked = float("-inf")
        self._looking = asyncio.Lock()

    @property
    def stores(self) -> list[StoreInfo]:
        """The stores that have routes, sorted by name."""
        return [self._stores[name] for name in sorted(self._stores)]

    def keys_of(self, store: str) -> KeyParser | None:
        """Return the parser of a store's keys, None if there is no such store."""
        return self._keys.get(store)

    async def look(self, app: FastAPI, path: str) -> None:
        """Look for new stores if a path may need them, at most once per `discovery_s`."""
        name = path.removeprefix("/stores/").removeprefix("/hosts/").partition("/")[0]
        if path != _DESCRIPTION_PATH and (not path.startswith(("/stores/", "/hosts/")) or name in self._stores):
            return
        async with self._looking:  # requests that come meanwhile wait for the routes, too
            if time.monotonic() - self._looked < self._service.options.discovery_s:
                return
            for store in await self._service.run(self._service.queries.stores):
                if store.name not in self._stores:
                    keys, routes = KeyParser(store), StoreRoutes(store, self._service).router()
                    self._stores[store.name], self._keys[store.name] = store, keys
                    app.include_router(routes)
                    app.openapi_schema = None
            self._looked = time.monotonic()


class DiscoveryMiddleware:
    """Looks for new stores before a request is routed."""

    def __init__(self, app: ASGIApp, discovery: StoreDiscovery) -> None:
        self._app = app
        self._discovery = discovery

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            await self._discovery.look(scope["app"], scope["path"])
        await self._app(scope, receive, send)
