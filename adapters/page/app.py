"""The page as an ASGI application, and the addresses of its views."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Final
from weakref import WeakSet

from nicegui import Client, ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from eddyline.adapters.page.frame import Frame, NavigationItem
from eddyline.adapters.page.host import SCOPE_KEY, hosted
from eddyline.adapters.page.parts.elements import link, notice
from eddyline.adapters.page.served import Served, ServedFlow
from eddyline.adapters.page.views import dashboard, dead_letters, overview, service, stores, topics, topology, why, windows

_RESPONSE_S = 15.0
_MAX_UNCONNECTED: Final = 32
_CONNECTED: Final[WeakSet[Client]] = WeakSet()
_MOST_GARBAGE: Final = 32
"""After so many views were deleted, their elements are collected: they are cycles, for which the process seldom looks."""
_DELETED: Final = count(1)

Show = Callable[[Frame], Awaitable[Response | None]]

_SERVICE: Final = NavigationItem("service", "Service")
_VIEWS: dict[NavigationItem, Show] = {
    _SERVICE: service.show,
    NavigationItem("", "Overview"): overview.show,
    NavigationItem("dashboard", "Dashboard"): dashboard.show,
    NavigationItem("topology", "Topology"): topology.show,
    NavigationItem("windows", "Windows"): windows.show,
    NavigationItem("stores", "Stores"): stores.show,
    NavigationItem("topics", "Topics"): topics.show,
    NavigationItem("why", "Why"): why.show,
    NavigationItem("dead-letters", "Dead letters"): dead_letters.show,
}


def page_app(served: Served) -> ASGIApp:
    """Return the page of a server; it must be mounted at a path, and stops with the server that it is mounted in."""
    return hosted(served, _register)


def _register() -> None:
    for item, show in _VIEWS.items():
        ui.page(f"/{item.path}", response_timeout=_RESPONSE_S)(_page(item, show))


def _page(item: NavigationItem, show: Show) -> Callable[[Request], Awaitable[Response | None]]:
    async def page(request: Request) -> Response | None:
        _forget_unconnected()
        served: Served = request.scope[SCOPE_KEY]
        if not item.path and len(served.flows) > 1 and "flow" not in request.query_params:
            return RedirectResponse(f"{request.scope.get('root_path', '')}/{_SERVICE.path}")
        flow = served.flow(request.query_params.get("flow"))
        frame = Frame(request, flow or served.flows[0])
        with frame.build(item, _navigation(frame.flow, len(served.flows)), of_flow=item != _SERVICE):
            if flow is None:
                frame.heading(item.title)
                notice(f"This server has no flow '{request.query_params['flow']}'.", "bad", role="alert")
                link("Go to the overview", frame.href(""))
                return None
            return await show(frame)

    return page


def _forget_unconnected() -> None:
    """Delete the oldest views whose browser has never opened its web socket, such as those that a script has asked for.

    A view takes a megabyte, and NiceGUI keeps it for a minute.
    """
    client = ui.context.client
    client.on_connect(lambda: _CONNECTED.add(client))
    client.on_delete(_collect)
    waiting = [other for other in Client.instances.values() if other not in _CONNECTED]
    for oldest in sorted(waiting, key=lambda other: other.created)[:-_MAX_UNCONNECTED]:
        oldest.delete()


def _collect() -> None:
    if next(_DELETED) % _MOST_GARBAGE == 0:
        asyncio.get_running_loop().call_soon(gc.collect)


def _navigation(flow: ServedFlow, flows: int) -> list[NavigationItem]:
    if flows == 1:
        return [item for item in _of_flow(flow) if item != _SERVICE]
    return _of_flow(flow)


def _of_flow(flow: ServedFlow) -> list[NavigationItem]:
    left_out = set() if flow.flow.views else {"dashboard"}
    left_out |= set() if windows.has_windows(flow) else {"windows"}
    return [item for item in _VIEWS if item.path not in left_out]
