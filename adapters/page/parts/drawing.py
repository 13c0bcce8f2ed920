"""The drawing of a topology, which people zoom and move, and whose steps they choose."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from nicegui import ui
from nicegui.events import MermaidNodeClickEventArguments

from eddyline.adapters.page.parts.elements import box, text
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import Node

_WIDEST = "000,000,000 records · 0,000/s"
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
    """A drawing of a topology.

    Args:
        topology: The topology.
        label: What it shows, for screen readers.
        on_choose: Called with the step that is chosen.
        noted: Whether steps have notes.
    """

    def __init__(self, topology: Topology, label: str, on_choose: Callable[[Node], None], *, noted: bool) -> None:
        self._topology, self._on_choose = topology, on_choose
        self._notes: Mapping[str, Note] = {}
        room = {node.name: _WIDEST for node in topology.nodes} if noted else {}
        with box("div", "section"):
            with box("div", "actions"):
                for name, title, meaning in _TOOLS:
                    text("button", title, "button", type="button", aria_label=meaning, title=meaning, data_zoom=name)
            self._frame = box("div", "card drawing", role="group", aria_label=label, tabindex="0")
            with self._frame:
                ui.mermaid(topology.mermaid(room, "TB"), config=_MERMAID, on_node_click=self._choose)
        ui.add_body_html(f"<script>{_script()}</script>")
        ui.run_javascript(f"eddylineDrawing(getHtmlElement({self._frame.id}))")

    def note(self, notes: Mapping[str, Note]) -> None:
        """Show notes by the names of their steps."""
        if notes == self._notes:
            return
        self._notes = notes
        numbered = {number: notes[node.name]._asdict() for number, node in enumerate(self._topology.nodes) if node.name in notes}
        ui.run_javascript(f"getHtmlElement({self._frame.id}).eddylineNotes({json.dumps(numbered)})")

    def _choose(self, event: MermaidNodeClickEventArguments) -> None:
        found = re.search(r"\bn(\d+)$", event.node_id)
        if found is not None:
            self._on_choose(self._topology.nodes[int(found[1])])


@cache
def _script() -> str:
    return files(__package__).joinpath("drawing.js").read_text("utf-8")
