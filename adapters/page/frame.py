"""What all views share: the header with the navigation, the look, and how a view stays up to date."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, tzinfo
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import unquote, urlencode
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from nicegui import background_tasks, ui
from nicegui.elements.mixins.text_element import TextElement
from starlette.datastructures import QueryParams
from starlette.requests import Request

from eddyline.adapters.page.host import SCOPE_KEY
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, link, notice, set_attributes, set_text, text
from eddyline.adapters.page.served import Served, ServedFlow

_LOGO = (
    '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.3" stroke-linecap="round" aria-hidden="true">'
    '<path d="M2 6.5c3.3-3 6.7-3 10 0s6.7 3 10 0"/><path d="M2 12c3.3-3 6.7-3 10 0s6.7 3 10 0"/>'
    '<path d="M2 17.5c3.3-3 6.7-3 10 0s6.7 3 10 0"/></svg>'
)
_THEME_SCRIPT = """<script>
document.documentElement.lang = "en";
window.eddylineTheme = (theme) => {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try { theme ? localStorage.setItem("eddyline-theme", theme) : localStorage.removeItem("eddyline-theme"); } catch (_) {}
};
try { window.eddylineTheme(localStorage.getItem("eddyline-theme") || ""); } catch (_) {}
</script>"""
_SESSION_SCRIPT = """<script>
const eddylineSocket = setInterval(() => {
  if (!window.socket) return;
  clearInterval(eddylineSocket);
  const isOver = (answer) => answer.status === 401 && location.reload();
  window.socket.on("disconnect", () => fetch("/stores").then(isOver).catch(() => {}));
}, 100);
</script>"""
"""Leads to the login when the session has ended; a server that is away is waited for."""
_ZONE_COOKIE = "eddyline-zone"
_ZONE_SCRIPT = f"""<script>(() => {{
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  const cookie = "{_ZONE_COOKIE}=" + encodeURIComponent(zone), known = () => document.cookie.split("; ").includes(cookie);
  if (known()) return;
  document.cookie = cookie + "; path=/; max-age=31536000; samesite=lax";
  if (zone !== "UTC" && known()) location.reload();
}})()</script>"""
"""Lets the server know the time zone of the browser, and loads the first page again, whose times are in UTC."""
_GO_TO_FLOW = "(e) => { location = location.pathname + '?flow=' + encodeURIComponent(e.target.value); }"
_SKIP = '<a class="skip" href="#content">Skip to content</a>'


_BUILD_TIMEOUT_S = 1.0


class NavigationItem(NamedTuple):
    """An entry of the navigation; the path is that of the view, without a slash."""

    path: str
    title: str


class Frame:
    """A view of one flow in one browser.

    Attributes:
        served: What the server shows.
        flow: The flow that is shown.
        query: The parameters of the address.
        zone: The time zone of the browser, UTC if it is not known.
    """

    def __init__(self, request: Request, flow: ServedFlow) -> None:
        self.served: Served = request.scope[SCOPE_KEY]
        self.flow = flow
        self.query: QueryParams = request.query_params
        self.zone = _zone(request.cookies.get(_ZONE_COOKIE, ""))
        self._scope = request.scope
        self._root = request.scope.get("root_path", "")
        self._paused = False
        self._failure = ""

    @property
    def may_operate(self) -> bool:
        """Whether the person may change something now: a session ends, and so do its pages."""
        return self.served.may_operate(self._scope)

    def href(self, path: str, **parameters: object) -> str:
        """Return the address of a view; parameters that are None are left out."""
        if len(self.served.flows) > 1:
            parameters = {"flow": self.flow.flow.name, **parameters}
        given = {name: value for name, value in parameters.items() if value is not None}
        return f"{self._root}/{path}" + (f"?{urlencode(given)}" if given else "")

    @property
    def home(self) -> str:
        """The address of the first page."""
        return f"{self._root}/"

    def build(self, item: NavigationItem, navigation: Sequence[NavigationItem], *, of_flow: bool = True) -> ui.element:
        """Build the header and return the content, to be used as a context manager; `of_flow` says whether it is of one flow."""
        ui.page_title(" · ".join([item.title, *([self.flow.flow.name] if of_flow else []), "Eddyline"]))
        scripts = [_ZONE_SCRIPT, _THEME_SCRIPT, *([_SESSION_SCRIPT] if self.served.protected else [])]
        ui.add_head_html(f"<style>{_style()}</style>{''.join(scripts)}")
        ui.add_body_html(_SKIP)
        with ui.header(fixed=False, elevated=False, add_scroll_padding=False).classes("top"):
            with box("div", "top-row"):
                with link("", self.home, "brand"):
                    ui.html(_LOGO, sanitize=False, tag="span")
                    text("span", "Eddyline")
                with box("div", "top-tools"):
                    self._tools()
            with box("nav", "nav", aria_label="Views"), box("ul"):
                for other in navigation:
                    with box("li"):
                        link(other.title, self.href(other.path), aria_current="page" if other == item else None)
        content = box("div", "content", id="content", tabindex="-1")
        with content:
            self._problem = notice("", "bad", role="alert")
            self._problem.set_visibility(False)
        return content

    @property
    def times(self) -> str:
        """In which time zone times are, as a sentence."""
        return f"Times are in {str(self.zone).replace('_', ' ')}."

    def moment(self, milliseconds: int) -> str:
        """Return a time in the time zone of the browser, without the date if it is that of today."""
        return formats.moment(milliseconds, int(time.time() * 1_000), self.zone)

    def heading(self, title: str, summary: str = "") -> ui.element:
        """Add the title of the view and return its row, for badges beside it."""
        with box("div", "title"):
            row = box("div", "title-row")
            with row:
                text("h1", title)
            if summary:
                text("p", summary, "muted")
        return row

    async def every(self, seconds: float, refresh: Callable[[], Awaitable[None]]) -> None:
        """Call a function now and at intervals, unless people pause it; what it raises is shown, and it is tried again."""

        async def again() -> None:
            if not self._paused:
                await self.attempt(refresh)

        await self.soon(refresh)
        ui.timer(seconds, again, immediate=False)

    async def soon(self, action: Callable[[], Awaitable[None]]) -> None:
        """Call a function, and let the view appear without what it shows if that takes long."""
        task = background_tasks.create(self.attempt(action), name="view")
        await asyncio.wait({task}, timeout=_BUILD_TIMEOUT_S)

    async def attempt(self, action: Callable[[], Awaitable[None]]) -> None:
        """Call a function, and show what it raises."""
        try:
            await action()
        except Exception as error:  # noqa: BLE001 - a log that is away must not end the view
            self._failure = f"{error}" or type(error).__name__
        else:
            self._failure = ""
        set_text(self._problem, self._failure)
        self._problem.set_visibility(bool(self._failure))

    def _tools(self) -> None:
        flows = self.served.flows
        if len(flows) > 1:
            with box("div", "inline"):
                text("label", "Flow", for_="flow")
                with box("select", id="flow").on("change", js_handler=_GO_TO_FLOW):
                    for served in flows:
                        name = served.flow.name
                        text("option", name, value=name, selected=True if served is self.flow else None)
        pause = text("button", "Pause", "button", type="button", aria_label="Pause updates")
        pause.on("click", lambda: self._toggle(pause))
        with box("div", "inline"):
            text("label", "Theme", "theme-label", for_="theme")
            with box("select", id="theme").on("change", js_handler="(e) => window.eddylineTheme(e.target.value)"):
                for value, title in (("", "System"), ("light", "Light"), ("dark", "Dark")):
                    text("option", title, value=value)
        ui.run_javascript("document.querySelector('.nav [aria-current]')?.scrollIntoView({inline: 'center', block: 'nearest'});")
        ui.run_javascript("document.getElementById('theme').value = document.documentElement.dataset.theme || '';")
        if self.served.protected:
            with box("form", method="post", action="/logout"):
                text("button", "Log out", "button", type="submit")

    def _toggle(self, button: TextElement) -> None:
        self._paused = not self._paused
        word = "Resume" if self._paused else "Pause"
        set_text(button, word)
        set_attributes(button, aria_label=f"{word} updates")


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(unquote(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


@cache
def _style() -> str:
    return files(__package__).joinpath("style.css").read_text("utf-8")
