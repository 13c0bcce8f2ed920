"""A browser for tests of the page, and pages in it that may only ask the server under test."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_TIMEOUT_MS = 60_000

DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}
LOOKS = ["desktop", *(pytest.param(device, marks=pytest.mark.slow) for device in ("dark", "phone"))]
_ANYWHERE = {"reduced_motion": "reduce", "timezone_id": "UTC"}
_RULES: dict[str, dict[str, Any]] = {"dark": {"runOnly": ["color-contrast"]}}
"""By device: options of axe; only contrast depends on the color scheme."""


@dataclass
class Window:
    """A page of the browser with what it has asked for and complained about."""

    page: Page
    url: str
    device: str = "desktop"
    hosts: set[str] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str, heading: str) -> None:
        """Open a view and wait until it is connected."""
        self.page.goto(f"{self.url}/ui/{path}")
        expect(self.page.get_by_role("heading", level=1)).to_have_text(heading)
        self.page.wait_for_function("window.socket?.connected && document.readyState === 'complete'")

    def check(self) -> None:
        """Make sure that the view can be used by everyone, fits, and has neither failed nor left the server."""
        self.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        self.page.wait_for_function("document.getAnimations().every((animation) => animation.playState !== 'running')")
        expect(self.page.locator("#popup[aria-hidden='false']")).to_have_count(0)
        assert accessibility_problems(self.page, _RULES.get(self.device, {})) == []
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
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--js-flags=--single-threaded"])
        yield started
        started.close()


OpenWindow = Callable[..., Window]


class Windows:
    """Windows of the browser, each with cookies of its own; one that was used before has its scripts compiled already."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._unused: dict[str, list[Window]] = {}
        self._used: list[tuple[str, Window]] = []

    def open(self, url: str, device: str = "desktop", **options: Any) -> Window:
        """Return a window on a server, on a device, that nothing else uses."""
        key = repr((device, sorted(options.items())))
        unused = self._unused.setdefault(key, [])
        window = unused.pop() if unused else self._new(device, options)
        window.url = url
        self._used.append((key, window))
        return window

    def give_back(self) -> None:
        """Give back all windows without what servers have stored in them."""
        for key, window in self._used:
            window.page.evaluate("localStorage.clear()")
            window.page.goto("about:blank")
            window.page.emulate_media(color_scheme="null")
            window.page.context.clear_cookies()
            window.hosts.clear()
            window.complaints.clear()
            self._unused[key].append(window)
        self._used.clear()

    def _new(self, device: str, options: dict[str, Any]) -> Window:
        context = self._browser.new_context(**DEVICES[device] | _ANYWHERE | options)
        context.set_default_timeout(_TIMEOUT_MS)
        window = Window(context.new_page(), "", device)
        window.page.on("request", lambda request: _note(window, request))
        window.page.on("console", lambda message: _complain(window, message))
        window.page.on("pageerror", lambda error: window.complaints.append(str(error)))
        return window


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def window_on(windows: Windows) -> Iterator[OpenWindow]:
    """Return a function that opens a window on a server, on a device; each has cookies of its own."""
    expect.set_options(timeout=_TIMEOUT_MS)
    yield windows.open
    windows.give_back()


def opened_store(window: Window) -> Page:
    """Open the store trade-aggregates from the list of stores, and wait for its first entries."""
    window.open("stores", "Stores")
    page = window.page
    page.get_by_role("link", name="trade-aggregates").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("trade-aggregates")
    expect(keys(page)).to_have_count(25)
    return page


def keys(page: Page) -> Locator:
    """Return the keys in the table of a view."""
    return page.locator("tbody th .cell")


@contextmanager
def changes(page: Page, selector: str) -> Iterator[None]:
    """Wait at the end of the block until the text of an element is another one than at its beginning."""
    before = page.locator(selector).first.inner_text()
    yield
    expect(page.locator(selector).first).not_to_have_text(before)


def _note(window: Window, request: Request) -> None:
    address = urlsplit(request.url)
    if address.scheme not in {"data", "blob"}:
        window.hosts.add(address.netloc)


def _complain(window: Window, message: ConsoleMessage) -> None:
    if message.type in {"error", "warning"}:
        window.complaints.append(message.text)
