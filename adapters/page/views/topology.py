"""The topology: drawn, and as a table of its steps, with their rates and drops where this process runs the flow."""

from collections.abc import Mapping

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.drawing import WIDEST_NOTE, Drawing, Note
from eddyline.adapters.page.parts.elements import box, link, notice, set_text, text
from eddyline.adapters.page.parts.tables import Cell, Column, Table
from eddyline.adapters.page.served import ServedFlow
from eddyline.application.monitoring.run_status import NodeStatus, RunStatus
from eddyline.application.queries.answers import StoreInfo
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode

_INTERVAL_S = 3.0
_SECOND_MS = 1_000


async def show(frame: Frame) -> None:
    """Build the view."""
    await frame.every(_INTERVAL_S, _TopologyView(frame.flow, frame).refresh)


class _TopologyView:
    def __init__(self, flow: ServedFlow, frame: Frame) -> None:
        self._flow = flow
        self._before: RunStatus | None = None
        self._frame = frame
        self._chosen: Node | None = None
        self._known: Mapping[str, NodeStatus] = {}
        self._rates: Mapping[str, float] = {}
        self._stores: Mapping[str, StoreInfo] = {}
        self._detail: list[TextElement] = []
        runs_here = flow.monitor is not None
        frame.heading("Topology", f"The steps of {flow.flow.name}, from the topics that it reads to those that it writes.")
        if not runs_here:
            notice(
                "The records and drops of each step are known to the process that runs the flow:"
                f" 'eddyline run {flow.flow.name} --serve' shows them."
            )
        text(
            "p",
            "Choose a step for its numbers. Drag the drawing to move it; zoom it with the buttons, two fingers or + and -.",
            "muted",
        )
        with box("div", "drawn"):
            label = "Drawing of the topology; the table of steps says the same in words"
            nodes = flow.topology.nodes
            room = {node.name: WIDEST_NOTE for node in nodes} if runs_here else {}
            self._drawing = Drawing(flow.topology.mermaid(room, "TB"), label, lambda number: self._choose(nodes[number]))
            self._holder = box("div", "chosen")
            self._spoken = text("p", "", "unseen", role="status")
        with box("section", "section", aria_labelledby="steps"):
            text("h2", "Steps", id="steps")
            with box("div", "card table-card"):
                columns = [Column("Step"), Column("After"), Column("Stores and topics")]
                if runs_here:
                    columns += [Column("Records", numeric=True), Column("Rate", numeric=True), Column("Dropped")]
                self._table = Table("The steps of the topology", columns, "The topology has no steps.")

    async def refresh(self) -> None:
        stores = await in_thread(self._flow.queries.stores)
        self._stores = {store.name: store for store in stores}
        monitor = self._flow.monitor
        if monitor is None:
            self._table.show([_described(node) for node in self._flow.topology.nodes])
        else:
            status = await in_thread(monitor.snapshot)
            self._rates = _rates(self._before, status)
            self._before = status
            self._known = {found.name: found for found in status.nodes}
            self._table.show(
                [[*_described(node), *_counts(self._known[node.name], self._rates)] for node in self._flow.topology.nodes]
            )
            self._drawing.note(
                {
                    number: _note(self._known[node.name], self._rates)
                    for number, node in enumerate(self._flow.topology.nodes)
                    if node.name in self._known
                }
            )
        self._show_numbers()

    def _choose(self, node: Node) -> None:
        """Show a step beside the drawing."""
        self._chosen = node
        self._holder.clear()
        with self._holder, box("section", "card section", aria_labelledby="chosen"):
            text("h2", node.name, id="chosen")
            text("p", _kind_of(node), "muted")
            with box("dl", "details"):
                self._detail = []
                for name, value in self._numbers(node):
                    text("dt", name)
                    self._detail.append(text("dd", value))
                links = [(store, self._frame.href("stores", store=store)) for store in node.stores if store in self._stores]
                results = self._flow.results
                links += [
                    (topic, self._frame.href("topics", topic=topic))
                    for topic in _topics(node)
                    if topic in {*results.written, *results.read}
                ]
                if links:
                    text("dt", "Open")
                    with box("dd"):
                        for name, href in links:
                            link(name, href)
        set_text(self._spoken, ". ".join((node.name, *(f"{name}: {value}" for name, value in self._numbers(node)))))
        ui.run_javascript("document.getElementById('chosen').scrollIntoView({block: 'nearest'})")

    def _show_numbers(self) -> None:
        if self._chosen is not None:
            for element, (_, value) in zip(self._detail, self._numbers(self._chosen), strict=True):
                set_text(element, value)

    def _numbers(self, node: Node) -> list[tuple[str, str]]:
        """Return what is known of a step, by name; the names stay the same."""
        children = [other.name for other in self._flow.topology.nodes if node.name in other.parents]
        rows = [
            ("After", ", ".join(dict.fromkeys(node.parents)) or formats.MISSING),
            ("Before", ", ".join(children) or formats.MISSING),
            ("Stores and topics", ", ".join((*node.stores, *_topics(node))) or formats.MISSING),
        ]
        if self._flow.monitor is not None:
            found = self._known.get(node.name)
            records, rate, dropped = (
                (formats.MISSING, formats.MISSING, Cell("0")) if found is None else _counts(found, self._rates)
            )
            rows += [("Records", records), ("Rate", rate), ("Dropped", dropped.text)]
        for store in node.stores:
            info = self._stores.get(store)
            known = "no changelog" if info is None else f"{formats.number(info.entries)}, {formats.size(info.size_bytes)}"
            rows.append((f"Entries of {store}", known))
        return rows


def _described(node: Node) -> list[Cell | str]:
    return [
        Cell(node.name, note=_kind_of(node)),
        ", ".join(dict.fromkeys(node.parents)) or formats.MISSING,
        ", ".join((*node.stores, *_topics(node))) or formats.MISSING,
    ]


def _counts(found: NodeStatus, rates: Mapping[str, float]) -> tuple[str, str, Cell]:
    drops = ", ".join(f"{formats.number(count)} {reason}" for reason, count in sorted(found.dropped.items()))
    dropped = Cell(drops or "0", tone="bad" if drops else "muted")
    return formats.number(found.processed), formats.rate(rates.get(found.name)), dropped


def _rates(before: RunStatus | None, status: RunStatus) -> Mapping[str, float]:
    """Return the records per second of each step whose records are counted."""
    earlier = {} if before is None else {found.name: found.processed for found in before.nodes}
    elapsed = 0 if before is None else status.time - before.time
    return {
        found.name: (found.processed - count) * _SECOND_MS / elapsed
        for found in status.nodes
        if elapsed > 0 and found.processed is not None and (count := earlier.get(found.name)) is not None
    }


def _note(found: NodeStatus, rates: Mapping[str, float]) -> Note:
    """Return what the drawing shows of a step: drops rather than a rate."""
    parts = [] if found.processed is None else [formats.counted(found.processed, "record")]
    dropped = sum(found.dropped.values())
    if dropped:
        parts.append(f"{formats.number(dropped)} dropped")
    elif found.name in rates:
        parts.append(formats.rate(rates[found.name]))
    return Note(" · ".join(parts), "bad" if dropped else "")


def _kind_of(node: Node) -> str:
    name = type(node).__name__.removesuffix("Node")
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _topics(node: Node) -> tuple[str, ...]:
    if isinstance(node, SourceNode | SinkNode | RepartitionSinkNode):
        return (node.topic,) if isinstance(node.topic, str) else ("a topic by function",)
    return ()
