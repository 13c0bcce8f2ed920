"""The topology: drawn, and as a table of its steps, with their rates and drops where this process runs the flow."""

from collections.abc import Mapping, Sequence

from nicegui import ui

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, notice, text
from eddyline.adapters.page.parts.tables import Cell, Column, Table
from eddyline.adapters.page.served import ServedFlow
from eddyline.application.monitoring.run_status import NodeStatus, RunStatus
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode

_INTERVAL_S = 3.0
_SECOND_MS = 1_000
_MERMAID = {
    "startOnLoad": False,
    "securityLevel": "strict",
    "theme": "base",
    "themeVariables": {"fontFamily": "system-ui, sans-serif", "fontSize": "13px"},
    "flowchart": {
        "useMaxWidth": True,
        "htmlLabels": True,
        "nodeSpacing": 24,
        "rankSpacing": 28,
        "padding": 8,
        "wrappingWidth": 260,
        "subGraphTitleMargin": {"top": 4, "bottom": 22},
    },
}


async def show(frame: Frame) -> None:
    """Build the view."""
    await frame.every(_INTERVAL_S, _TopologyView(frame.flow, frame).refresh)


class _TopologyView:
    def __init__(self, flow: ServedFlow, frame: Frame) -> None:
        self._flow = flow
        self._before: RunStatus | None = None
        self._drawn = flow.topology.mermaid(direction="TB")
        runs_here = flow.monitor is not None
        frame.heading("Topology", f"The steps of {flow.flow.name}, from the topics that it reads to those that it writes.")
        if not runs_here:
            notice(
                "The records and drops of each step are known to the process that runs the flow:"
                f" 'eddyline run {flow.flow.name} --serve' shows them."
            )
        with box("div", "drawn"):
            label = "Drawing of the topology; the table of steps says the same in words"
            with box("div", "card drawing", role="img", aria_label=label, tabindex="0"):
                self._drawing = ui.mermaid(self._drawn, config=_MERMAID)
            with box("section", "section", aria_labelledby="steps"):
                text("h2", "Steps", id="steps")
                with box("div", "card table-card"):
                    columns = [Column("Step"), Column("After"), Column("Stores and topics")]
                    if runs_here:
                        columns += [Column("Records", numeric=True), Column("Rate", numeric=True), Column("Dropped")]
                    self._table = Table("The steps of the topology", columns, "The topology has no steps.")

    async def refresh(self) -> None:
        monitor = self._flow.monitor
        if monitor is None:
            self._table.show([_described(node) for node in self._flow.topology.nodes])
            return
        status = await in_thread(monitor.snapshot)
        rates = _rates(self._before, status)
        self._before = status
        known = {found.name: found for found in status.nodes}
        rows = [
            [*_described(node), *_counts(known[node.name], rates.get(node.name))]
            for node in self._flow.topology.nodes
            if node.name in known
        ]
        self._table.show(rows)
        drawn = self._flow.topology.mermaid(_notes(status.nodes, rates), "TB")
        if drawn != self._drawn:
            self._drawn = drawn
            self._drawing.set_content(drawn)


def _described(node: Node) -> list[Cell | str]:
    return [
        Cell(node.name, note=_kind_of(node)),
        ", ".join(dict.fromkeys(node.parents)) or formats.MISSING,
        ", ".join((*node.stores, *_topics(node))) or formats.MISSING,
    ]


def _counts(found: NodeStatus, rate: float | None) -> list[Cell | str]:
    drops = ", ".join(f"{formats.number(count)} {reason}" for reason, count in sorted(found.dropped.items()))
    return [formats.number(found.processed), formats.rate(rate), Cell(drops or "0", tone="bad" if drops else "muted")]


def _rates(before: RunStatus | None, status: RunStatus) -> Mapping[str, float]:
    """Return the records per second of each step whose records are counted."""
    earlier = {} if before is None else {found.name: found.processed for found in before.nodes}
    elapsed = 0 if before is None else status.time - before.time
    return {
        found.name: (found.processed - count) * _SECOND_MS / elapsed
        for found in status.nodes
        if elapsed > 0 and found.processed is not None and (count := earlier.get(found.name)) is not None
    }


def _notes(nodes: Sequence[NodeStatus], rates: Mapping[str, float]) -> dict[str, str]:
    notes = {}
    for found in nodes:
        parts = [] if found.processed is None else [formats.counted(found.processed, "record")]
        parts += [formats.rate(rates[found.name])] if found.name in rates else []
        dropped = sum(found.dropped.values())
        lines = [" · ".join(parts)] if parts else []
        lines += [f"{formats.number(dropped)} dropped"] if dropped else []
        if lines:
            notes[found.name] = "<br/>".join(lines)
    return notes


def _kind_of(node: Node) -> str:
    name = type(node).__name__.removesuffix("Node")
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _topics(node: Node) -> tuple[str, ...]:
    if isinstance(node, SourceNode | SinkNode | RepartitionSinkNode):
        return (node.topic,) if isinstance(node.topic, str) else ("a topic by function",)
    return ()
