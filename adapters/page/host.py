"""Runs NiceGUI, whose state is global to the process, in one event loop for all servers of the process.

A server passes its requests to that loop, so building a page never delays an answer to a query, and servers come and go
without starting NiceGUI again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from threading import Event, Thread
from typing import Any, Final, TypeVar, cast

from fastapi import FastAPI
from nicegui import __version__, ui
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eddyline.application.lineage.limits import Effort

T = TypeVar("T")

SCOPE_KEY = "eddyline.page"
"""The entry of a request's scope that has what its server shows."""

_HEADERS = {
    # Everything comes from this server. Vue compiles templates, and NiceGUI has scripts and styles in its HTML.
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline';"
        " img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
}
_LIBRARIES = f"/_nicegui/{__version__}/"
_UNCHANGING = "private, max-age=31536000, immutable"
_RECONNECT_S = 30.0
"""How long a browser may be gone until it has to load its page again; a busy one answers the server within 0.4 times as long."""
RETRY_AFTER_S: Final = 5
"""After how many seconds to ask again if it is busy."""
_READERS = asyncio.Semaphore(4)
_REPLAYS = asyncio.Semaphore(1)
_MOST_WAITING: Final = 4
_WAITING: Final[set[Effort]] = set()


async def in_thread(query: Callable[[], T]) -> T:
    """Return what a function returns that may block; it runs in a thread, with at most three others."""
    async with _READERS:
        return await _in_daemon(query)


class BusyError(Exception):
    """Too many answers that take long are waited for."""


def is_busy() -> bool:
    """Whether as many answers that take long are waited for as may be."""
    return len(_WAITING) >= _MOST_WAITING


async def in_turn(effort: Effort, work: Callable[[], T]) -> T:
    """Return what a function returns that works for seconds; such functions run in a thread one after the other.

    If this is cancelled, the effort is stopped, and the next function begins when the thread has ended.

    Raises:
        BusyError: Too many others wait already.
        ReplayStoppedError: The effort was stopped, or has reached its limit.
    """
    if is_busy():
        raise BusyError(
            f"{_MOST_WAITING} other questions wait for their answers, which is the limit; ask again in {RETRY_AFTER_S} s"
        )
    _WAITING.add(effort)
    try:
        await _REPLAYS.acquire()
    finally:
        _WAITING.discard(effort)
    working = asyncio.ensure_future(_in_daemon(lambda: effort.spend(work)))
    working.add_done_callback(_replayed)
    try:
        return await asyncio.shield(working)
    finally:
        effort.stop()


def _replayed(working: "asyncio.Future[Any]") -> None:
    _REPLAYS.release()
    if not working.cancelled():
        working.exception()  # nobody may wait for it any more


async def _in_daemon(work: Callable[[], T]) -> T:
    """Run a function in a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if not outcome.done():
            outcome.set_result(cast("T", result)) if error is None else outcome.set_exception(error)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
            loop.call_soon_threadsafe(settle, None, error)
        else:
            loop.call_soon_threadsafe(settle, result, None)

    Thread(target=run, name="eddyline-page-query", daemon=True).start()
    return await outcome


def hosted(shown: object, register: Callable[[], None]) -> ASGIApp:
    """Return an ASGI application that shows something.

    Args:
        shown: What pages find in the scope of their requests.
        register: Registers the pages; called once per process.
    """
    loop, app = _started(register)

    async def passed_on(scope: Scope, receive: Receive, send: Send) -> None:
        here = asyncio.get_running_loop()

        async def received() -> Message:
            return await _in(here, receive())

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                if _LIBRARIES in scope["path"]:
                    headers["Cache-Control"] = _UNCHANGING
            await _in(here, send(message))

        await _in(loop, app({**scope, SCOPE_KEY: shown}, received, sent))

    return passed_on


async def _in(loop: asyncio.AbstractEventLoop, awaitable: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await awaitable

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(awaited(), loop))


@cache
def _started(register: Callable[[], None]) -> tuple[asyncio.AbstractEventLoop, ASGIApp]:
    """Start NiceGUI in a thread that runs as long as the process."""
    app = FastAPI()
    ui.run_with(
        app,
        title="Eddyline",
        dark=None,
        language="en-US",
        binding_refresh_interval=None,
        reconnect_timeout=_RECONNECT_S,
        message_history_length=100,
        gzip_middleware_factory=None,
        tailwind=False,
        show_welcome_message=False,
    )
    register()
    loop = asyncio.new_event_loop()
    ready = Event()

    async def live() -> None:
        async with app.router.lifespan_context(app):
            ready.set()
            await asyncio.Event().wait()

    Thread(target=lambda: loop.run_until_complete(live()), name="eddyline-page", daemon=True).start()
    ready.wait()
    return loop, GZipMiddleware(app, minimum_size=1_000, compresslevel=5)
