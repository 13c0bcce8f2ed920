"""The first page of a server with several flows: what belongs together, how it is connected, and what happens."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from nicegui import ui

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.drawing import Drawing
from eddyline.adapters.page.parts.elements import box, link, set_text, text
from eddyline.adapters.page.parts.tables import Cell, Column, Table
from eddyline.adapters.page.progress import FlowProgress
from eddyline.adapters.page.served import ServedFlow
from eddyline.adapters.page.views.overview import progress_of
from eddyline.application.flows.alerts import Alert
from eddyline.application.flows.views import FeedView
from eddyline.application.queries.latest_records import TopicRecord
from eddyline.application.topology.types import Names

_INTERVAL_S = 2.0
_FACTS = 3
_COLUMNS = 3
"""How many flows are beside each other on a wide screen."""
_TONES = ("bad", "warn", "", "good")
"""The worst first."""
_OTHERS = "Flows"


async def show(frame: Frame) -> None:
    """Build the view."""
    flows = frame.served.flows
    with frame.heading("Service", f"{formats.counted(len(flows), 'flow')} by what they are about. {frame.times}"):
        badge = text("span", "waiting", "badge warn", role="status")
    alerts = _Alerts(frame, flows) if any(served.flow.alerts for served in flows) else None
    cards: list[_Card] = []
    connected = connections(flows)
    with box("div", "contexts"):
        for context, count in in_rows(Counter(served.flow.context for served in flows).most_common()):
            identity = f"context-{context}"
            with box("section", f"section wide-{min(count, _COLUMNS)}", aria_labelledby=identity):
                text("h2", context.capitalize() or _OTHERS, id=identity)
                with box("div", "systems"):
                    cards += [
                        _Card(frame, served, _wiring(number, flows, connected))
                        for number, served in enumerate(flows)
                        if served.flow.context == context
                    ]
    if connected:
        _draw_connections(frame, flows, connected)

    async def refresh() -> None:
        if alerts is not None:
            await alerts.refresh()
        found = [await card.refresh() for card in cards]
        states = Counter(("", "waiting") if each is None else (each.tone, each.state) for each in found)
        worst_first = sorted(states.items(), key=lambda state: _TONES.index(state[0][0]))
        set_text(badge, ", ".join(f"{count} {word}" for (_, word), count in worst_first))
        badge.classes(replace=f"badge {worst_first[0][0][0]}")

    await frame.every(_INTERVAL_S, refresh)


def in_rows(contexts: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield contexts with their numbers of flows in an order that fills rows: small ones come where large ones leave room."""
    left = list(contexts)
    while left:
        room = _COLUMNS
        while left and (fitting := next((found for found in left if min(found[1], _COLUMNS) <= room), None)):
            left.remove(fitting)
            room -= min(fitting[1], _COLUMNS)
            yield fitting


class _LatestAlert(NamedTuple):
    """The latest message of an alert, when it came, and how many came since the run has started, None if that is not known."""

    at: int
    subject: str
    number: int | None


class _Alerts:
    """The latest alert of each kind, and how many there were."""

    def __init__(self, frame: Frame, flows: Sequence[ServedFlow]) -> None:
        self._frame = frame
        self._alerts = [(served, alert, served.topic(alert.topic)) for served in flows for alert in served.flow.alerts]
        with box("section", "section", aria_labelledby="alerts"):
            text("h2", "Latest alerts", id="alerts")
            columns = [
                Column("Flow", key=True),
                Column("Latest alert", wide=True),
                Column("Time", tight=True),
                Column("Since the start", numeric=True),
            ]
            with box("div", "card table-card", role="group", aria_label="Latest alerts", tabindex="0"):
                self._table = Table("The latest alert of each kind", columns, "No alerts.")

    async def refresh(self) -> None:
        """Show the present alerts."""
        found = await in_thread(self._read)
        self._table.show(
            [
                [
                    Cell(served.flow.name, self._frame.href("dashboard", flow=served.flow.name)),
                    latest.subject,
                    self._frame.moment(latest.at),
                    formats.number(latest.number),
                ]
                for served, latest in found
            ]
        )

    def _read(self) -> list[tuple[ServedFlow, _LatestAlert]]:
        found = []
        for served, alert, topic in self._alerts:
            records = served.results.latest(topic, 1)
            if records and records[0].error is None and records[0].value is not None:
                written = None if served.monitor is None else served.monitor.snapshot().totals.records_out.get(topic, 0)
                found.append((served, _LatestAlert(records[0].timestamp, _subject(alert, records[0]), written)))
        return sorted(found, key=lambda each: each[1].at, reverse=True)


def _subject(alert: Alert, record: TopicRecord) -> str:
    """Return the subject of an alert; one that its flow has no message for has its key."""
    try:
        return alert.message(record.key, record.value).subject
    except Exception:  # noqa: BLE001 - a function of a flow must not end the page of all flows
        return f"{alert.name}: {record.key}"


class _Card:
    """A flow: its state, its numbers, its neighbours and its last facts."""

    def __init__(self, frame: Frame, served: ServedFlow, wiring: Sequence[str]) -> None:
        self._frame, self._served = frame, served
        self._sentences = [
            (served.topic(view.topic), view.sentence)
            for view in served.flow.views
            if isinstance(view, FeedView) and view.sentence is not None
        ]
        name = served.flow.name
        with box("article", "card system", aria_labelledby=f"flow-{name}"):
            with box("div", "title-row"):
                with text("h3", "", id=f"flow-{name}"):
                    link(name, _home(frame, served))
                self._badge = text("span", "waiting", "badge warn")
            text("p", served.flow.summary, "muted")
            self._numbers = text("p", formats.MISSING, "numbers")
            self._problem = text("p", "", "bad")
            for line in wiring:
                text("p", line, "wiring")
            with box("ul", "facts", aria_label=f"What happened last in {name}"):
                self._facts = [self._fact() for _ in range(_FACTS)]

    @staticmethod
    def _fact() -> tuple[Any, Any, Any]:
        with box("li") as item:
            return item, text("span", "", "muted"), text("span", "")

    async def refresh(self) -> FlowProgress | None:
        """Show the present state, and return it."""
        progress, facts = await in_thread(self._read)
        if progress is not None:
            set_text(self._badge, progress.state)
            self._badge.classes(replace=f"badge {progress.tone}")
            waiting = "none waiting" if progress.now.lag == 0 else f"{formats.number(progress.now.lag)} waiting"
            set_text(self._numbers, f"{_per_second(progress.now.throughput)}, {waiting}")
        set_text(self._problem, (progress.failure or "") if progress is not None else "")
        for (item, at, sentence), fact in zip(self._facts, [*facts, *[("", "")] * _FACTS], strict=False):
            set_text(at, fact[0])
            set_text(sentence, fact[1])
            item.set_visibility(bool(fact[1]))
        return progress

    def _read(self) -> tuple[FlowProgress | None, list[tuple[str, str]]]:
        found = [
            (record.timestamp, _in_words(sentence, record, self._served.names_of(topic)))
            for topic, sentence in self._sentences
            for record in self._served.results.latest(topic, _FACTS)
            if record.error is None and record.value is not None
        ]
        latest = sorted(dict.fromkeys(found), reverse=True)[:_FACTS]
        return progress_of(self._served), [(self._frame.moment(at), sentence) for at, sentence in latest]


def _per_second(throughput: float | None) -> str:
    return f"{formats.rate(throughput).removesuffix('/s')} records/s"


def _in_words(sentence: Callable[[Any, Any], str], record: TopicRecord, names: Names) -> str:
    """Return what a record means; one that its flow has no words for is shown as it is."""
    try:
        return str(sentence(record.key, record.value))
    except Exception:  # noqa: BLE001 - a function of a flow must not end the page of all flows
        return formats.shortened(f"{formats.shown(record.key, names)}: {formats.shown(record.value, names)}")


class Connection(NamedTuple):
    """A topic with the numbers of the flows that write and read it."""

    topic: str
    writers: Sequence[int]
    readers: Sequence[int]


def connections(flows: Sequence[ServedFlow]) -> list[Connection]:
    """Return the topics that connect flows: those that one writes and another reads, and those that several read or write."""
    names = dict.fromkeys(
        spec.name for served in flows for spec in (*served.topology.sink_topics, *served.topology.source_topics)
    )
    written = [{spec.name for spec in served.topology.sink_topics} for served in flows]
    found = [
        Connection(
            name,
            [at for at, names_of_flow in enumerate(written) if name in names_of_flow],
            [at for at, served in enumerate(flows) if served.topology.source_topic(name) is not None],
        )
        for name in names
    ]
    return [each for each in found if len({*each.writers, *each.readers}) > 1]


def _wiring(number: int, flows: Sequence[ServedFlow], found: Sequence[Connection]) -> list[str]:
    """Return how a flow is connected with others: `fb-notifications → notifications → notification-metrics`."""
    return [
        f"{_named(flows, each.writers)} → {each.topic} → {_named(flows, each.readers)}"
        for each in found
        if number in {*each.writers, *each.readers} and each.writers and each.readers
    ]


def _named(flows: Sequence[ServedFlow], numbers: Sequence[int]) -> str:
    return ", ".join(flows[number].flow.name for number in numbers)


def _draw_connections(frame: Frame, flows: Sequence[ServedFlow], found: Sequence[Connection]) -> None:
    """Add a drawing of the flows that are connected by topics, and the same in words."""
    with box("section", "section", aria_labelledby="connections"):
        text("h2", "How flows are connected", id="connections")
        text("p", "Flows that share a topic: boxes are flows, round ones are topics. Choose a flow to open it.", "muted")
        label = "Drawing of the flows and the topics between them; the list below says the same in words"
        chart = flowchart(found, [served.flow.name for served in flows])
        Drawing(chart, label, lambda number: ui.navigate.to(_home(frame, flows[number])))
        with box("ul", "connections"):
            for topic, *ends in found:
                verbs = zip(("written", "read"), ends, strict=True)
                parts = [f"{verb} by {_named(flows, numbers)}" for verb, numbers in verbs if numbers]
                text("li", f"{topic} is {' and '.join(parts)}")


def _home(frame: Frame, served: ServedFlow) -> str:
    """Return the address of the view of a flow that says most: its dashboard if it has one."""
    return frame.href("dashboard" if served.flow.views else "", flow=served.flow.name)


def flowchart(found: Sequence[Connection], names: Sequence[str]) -> str:
    """Return connections as a Mermaid flowchart; the flow of number 3 is the step `n3`."""
    drawn = dict.fromkeys(number for each in found for number in (*each.writers, *each.readers))
    lines = ["flowchart LR", *(f'  n{number}["{names[number]}"]' for number in drawn)]
    for at, (topic, writers, readers) in enumerate(found):
        lines.append(f'  t{at}(["{topic}"])')
        lines += [f"  n{number} --> t{at}" for number in writers] + [f"  t{at} --> n{number}" for number in readers]
    return "\n".join(lines) + "\n"
