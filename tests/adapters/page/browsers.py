"""A browser for tests of the page, and pages in it that may only ask the server under test."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_TIMEOUT_MS = 60_000

DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}
_SCHEMES: dict[str, dict[Literal["dark", "light"], dict[str, Any]]] = {
    "desktop": {"dark": {"runOnly": ["color-contrast"]}, "light": {}},
    "phone": {"light": {}},
}
"""By device and color scheme: options of axe; only contrast depends on the scheme."""


@dataclass
class Window:
    """A page of the browser with what it has asked for and complained about."""

    page: Page
    url: str
    device: str
    hosts: set[str]
    complaints: list[str]

    def open(self, path: str, heading: str) -> None:
        """Open a view and wait until it is connected."""
        self.page.goto(f"{self.url}/ui/{path}")
        expect(self.page.get_by_role("heading", level=1)).to_have_text(heading)
        self.page.wait_for_function("window.socket?.connected && document.readyState === 'complete'")

    def check(self) -> None:
        """Make sure that the view can be used by everyone, light and dark, fits, and has neither failed nor left the server."""
        for scheme, rules in _SCHEMES[self.device].items():
            self.page.emulate_media(color_scheme=scheme)
            self.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            self.page.wait_for_function("document.getAnimations().every((animation) => animation.playState !== 'running')")
            problems = accessibility_problems(self.page, rules)
            assert not problems, f"{scheme}: {problems}"
        width = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, f"{self.page.url} is wider than the screen by {width} px"
        assert self.complaints == []
        assert self.hosts == {urlsplit(self.url).netloc}


def accessibility_problems(page: Page, rules: Mapping[str, Any]) -> list[str]:
    """Return what axe finds; it asks the server for nothing."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"preload": False, "resultTypes": ["violations"], **rules}
    found = page.evaluate("async (options) => (await axe.run(document, options)).violations", options)
    return [f"{page.url}: {problem['id']}: {node['html']}" for problem in found for node in problem["nodes"]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium; it must be installed."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.fail("Chromium is not installed; install it with: make chromium", pytrace=False)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


OpenWindow = Callable[..., Window]


class Pages:
    """Pages of the browser, each with cookies of its own; one that was used before has its scripts compiled already."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._unused: dict[str, list[Page]] = {}
        self._used: list[tuple[str, Page, dict[str, Callable[..., None]]]] = []

    def take(self, listeners: dict[str, Callable[..., None]], **options: Any) -> Page:
        """Return a page of a context with these options that nothing else uses."""
        key = repr(sorted(options.items()))
        unused = self._unused.setdefault(key, [])
        page = unused.pop() if unused else self._browser.new_context(**options).new_page()
        page.context.set_default_timeout(_TIMEOUT_MS)
        for event, listener in listeners.items():
            page.on(event, listener)  # type: ignore[call-overload] # the names of events are literals there
        self._used.append((key, page, listeners))
        return page

    def give_back(self) -> None:
        """Give back all pages without what their servers have stored in them."""
        for key, page, listeners in self._used:
            for event, listener in listeners.items():
                page.remove_listener(event, listener)
            page.evaluate("localStorage.clear()")
            page.goto("about:blank")
            page.emulate_media(color_scheme="null")
            page.context.clear_cookies()
            self._unused[key].append(page)
        self._used.clear()


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Pages:
    return Pages(browser)


@pytest.fixture
def window_on(pages: Pages) -> Iterator[OpenWindow]:
    """Return a function that opens a window on a server, on a device; each has cookies of its own."""

    def opened(url: str, device: str = "desktop", **options: Any) -> Window:
        hosts: set[str] = set()
        complaints: list[str] = []
        listeners: dict[str, Callable[..., None]] = {
            "request": lambda request: _note(hosts, request),
            "console": lambda message: _complain(complaints, message),
            "pageerror": lambda error: complaints.append(str(error)),
        }
        page = pages.take(listeners, **DEVICES[device] | {"reduced_motion": "reduce"} | options)
        return Window(page, url, device, hosts, complaints)

    expect.set_options(timeout=_TIMEOUT_MS)
    yield opened
    pages.give_back()


@contextmanager
def changes(page: Page, selector: str) -> Iterator[None]:
    """Wait at the end of the block until the text of an element is another one than at its beginning."""
    before = page.locator(selector).first.inner_text()
    yield
    expect(page.locator(selector).first).not_to_have_text(before)


def _note(hosts: set[str], request: Request) -> None:
    address = urlsplit(request.url)
    if address.scheme not in {"data", "blob"}:
        hosts.add(address.netloc)


def _complain(complaints: list[str], message: ConsoleMessage) -> None:
    if message.type in {"error", "warning"}:
        complaints.append(message.text)
