"""A drawing of steps and arrows, such as a topology, which people zoom and move, and whose steps they choose."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from nicegui import ui
from nicegui.events import MermaidNodeClickEventArguments

from eddyline.adapters.page.parts.elements import box, text

WIDEST_NOTE = "000,000,000 records · 0,000/s"
"""Steps get room for this note: the drawing is laid out once, and stays as it is while its notes change."""
_MERMAID = {
    "startOnLoad": False,
    "securityLevel": "strict",
    "theme": "base",
    "themeVariables": {"fontFamily": "system-ui, sans-serif", "fontSize": "13px"},
    "flowchart": {
        "useMaxWidth": False,
        "htmlLabels": True,
        "nodeSpacing": 24,
        "rankSpacing": 28,
        "padding": 8,
        "wrappingWidth": 260,
        "subGraphTitleMargin": {"top": 4, "bottom": 22},
    },
}
_TOOLS = (("in", "+", "Zoom in"), ("out", "−", "Zoom out"), ("fit", "Fit", "Fit the whole drawing"))  # noqa: RUF001 - a minus sign


class Note(NamedTuple):
    """The second line of a step, in a tone such as `bad`."""

    text: str
    tone: str = ""


class Drawing:
    """A drawing.

    Args:
        flowchart: The drawing as a Mermaid flowchart, whose steps are `n0`, `n1` and so on.
        label: What it shows, for screen readers.
        on_choose: Called with the number of the step that is chosen.
    """

    def __init__(self, flowchart: str, label: str, on_choose: Callable[[int], None]) -> None:
        self._on_choose = on_choose
        self._notes: Mapping[int, Note] = {}
        with box("div", "section"):
            with box("div", "actions"):
                for name, title, meaning in _TOOLS:
                    text("button", title, "button", type="button", aria_label=meaning, title=meaning, data_zoom=name)
            self._frame = box("div", "card drawing", role="group", aria_label=label, tabindex="0")
            with self._frame:
                ui.mermaid(flowchart, config=_MERMAID, on_node_click=self._choose)
        ui.add_body_html(f"<script>{_script()}</script>")
        ui.run_javascript(f"eddylineDrawing(getHtmlElement({self._frame.id}))")

    def note(self, notes: Mapping[int, Note]) -> None:
        """Show notes by the numbers of their steps, which need room for them: see `WIDEST_NOTE`."""
        if notes == self._notes:
            return
        self._notes = notes
        numbered = {number: note._asdict() for number, note in notes.items()}
        ui.run_javascript(f"getHtmlElement({self._frame.id}).eddylineNotes({json.dumps(numbered)})")

    def _choose(self, event: MermaidNodeClickEventArguments) -> None:
        found = re.search(r"\bn(\d+)$", event.node_id)
        if found is not None:
            self._on_choose(int(found[1]))


@cache
def _script() -> str:
    return files(__package__).joinpath("drawing.js").read_text("utf-8")
