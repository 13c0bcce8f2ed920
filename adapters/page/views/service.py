"""The first page of a server with several flows: what belongs together, how it is connected, and what happens."""

from collections import Counter
from collections.abc import Callable, Sequence
from heapq import nlargest
from operator import itemgetter
from typing import Any

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, link, set_text, text
from eddyline.adapters.page.parts.tables import Cell, Column, TableOfRows
from eddyline.adapters.page.progress import FlowProgress
from eddyline.adapters.page.served import ServedFlow
from eddyline.adapters.page.views.overview import progress_of
from eddyline.application.flows.alerts import Alert
from eddyline.application.flows.views import FeedView
from eddyline.application.queries.latest_records import TopicRecord
from eddyline.application.topology.types import Names

_INTERVAL_S = 2.0
_FACTS = 3
_ALERTS = 5
_ALERT_COLUMNS = (Column("Flow", key=True), Column("Time", tight=True), Column("Alert", wide=True))
_OTHERS = "Flows"


async def show(frame: Frame) -> None:
    """Build the view."""
    flows = frame.served.flows
    frame.heading("Service", f"{formats.counted(len(flows), 'flow')} by what they are about. Times are UTC.")
    alerts = _Alerts(frame, flows) if any(served.flow.alerts for served in flows) else None
    cards: list[_Card] = []
    contexts = Counter(served.flow.context for served in flows)
    for context, _ in contexts.most_common():
        title = context.capitalize() or _OTHERS
        identity = f"context-{context}"
        with box("section", "section", aria_labelledby=identity):
            text("h2", title, id=identity)
            with box("div", "systems"):
                cards += [_Card(frame, served, flows) for served in flows if served.flow.context == context]

    async def refresh() -> None:
        if alerts is not None:
            await alerts.refresh()
        for card in cards:
            await card.refresh()

    await frame.every(_INTERVAL_S, refresh)


class _Alerts:
    """The latest alerts of all flows, each matter once."""

    def __init__(self, frame: Frame, flows: Sequence[ServedFlow]) -> None:
        self._frame = frame
        self._alerts = [(served, alert, served.topic(alert.topic)) for served in flows for alert in served.flow.alerts]
        with box("section", "section", aria_labelledby="alerts"):
            text("h2", "Latest alerts", id="alerts")
            self._table = TableOfRows("Latest alerts")

    async def refresh(self) -> None:
        """Show the present alerts."""
        found = await in_thread(self._read)
        rows: list[list[Cell | str]] = [
            [
                Cell(served.flow.name, self._frame.href("dashboard", flow=served.flow.name)),
                formats.time(at // 1_000 * 1_000),
                Cell(subject, tone="bad"),
            ]
            for at, subject, served in found
        ]
        self._table.show(_ALERT_COLUMNS, rows, "No alerts.")

    def _read(self) -> list[tuple[int, str, ServedFlow]]:
        latest: dict[tuple[str, str], tuple[int, str, ServedFlow]] = {}
        for served, alert, topic in self._alerts:
            for record in served.results.latest(topic, _ALERTS):
                if record.error is None and record.value is not None:
                    subject, identity = _message(alert, record)
                    latest.setdefault((topic, identity), (record.timestamp, subject, served))
        return nlargest(_ALERTS, latest.values(), key=itemgetter(0))


def _message(alert: Alert, record: TopicRecord) -> tuple[str, str]:
    """Return the subject of an alert, and what it is about; one that its flow has no message for has its key."""
    try:
        message = alert.message(record.key, record.value)
    except Exception:  # noqa: BLE001 - a function of a flow must not end the page of all flows
        return f"{alert.name}: {record.key}", f"{record.position}"
    return message.subject, f"{record.position}" if message.identity is None else message.identity


class _Card:
    """A flow: its state, its numbers, its neighbours and its last facts."""

    def __init__(self, frame: Frame, served: ServedFlow, flows: Sequence[ServedFlow]) -> None:
        self._served = served
        self._sentences = [
            (served.topic(view.topic), view.sentence)
            for view in served.flow.views
            if isinstance(view, FeedView) and view.sentence is not None
        ]
        name = served.flow.name
        with box("article", "card system", aria_labelledby=f"flow-{name}"):
            with box("div", "title-row"):
                with text("h3", "", id=f"flow-{name}"):
                    link(name, frame.href("dashboard" if served.flow.views else "", flow=name))
                self._badge = text("span", "waiting", "badge warn")
            text("p", served.flow.summary, "muted")
            self._numbers = text("p", formats.MISSING, "numbers")
            self._problem = text("p", "", "bad")
            for line in _wiring(served, flows):
                text("p", line, "wiring")
            with box("ul", "facts", aria_label=f"What happened last in {name}"):
                self._facts = [text("li", "") for _ in range(_FACTS)]

    async def refresh(self) -> None:
        """Show the present state."""
        progress, facts = await in_thread(self._read)
        if progress is not None:
            set_text(self._badge, progress.state)
            self._badge.classes(replace=f"badge {progress.tone}")
            set_text(self._numbers, f"{formats.rate(progress.now.throughput)} · lag {formats.number(progress.now.lag)}")
        set_text(self._problem, (progress.failure or "") if progress is not None else "")
        for element, fact in zip(self._facts, [*facts, *[""] * _FACTS], strict=False):
            set_text(element, fact)

    def _read(self) -> tuple[FlowProgress | None, list[str]]:
        found = [
            (record.timestamp, _in_words(sentence, record, self._served.names_of(topic)))
            for topic, sentence in self._sentences
            for record in self._served.results.latest(topic, _FACTS)
            if record.error is None and record.value is not None
        ]
        facts = [f"{formats.clock(at)} {sentence}" for at, sentence in sorted(found, reverse=True)[:_FACTS]]
        return progress_of(self._served), facts


def _in_words(sentence: Callable[[Any, Any], str], record: TopicRecord, names: Names) -> str:
    """Return what a record means; one that its flow has no words for is shown as it is."""
    try:
        return str(sentence(record.key, record.value))
    except Exception:  # noqa: BLE001 - a function of a flow must not end the page of all flows
        return formats.shortened(f"{formats.shown(record.key, names)}: {formats.shown(record.value, names)}")


def _wiring(served: ServedFlow, flows: Sequence[ServedFlow]) -> list[str]:
    """Return how a flow is connected with others: `fb-notifications → notifications → notification-metrics`."""
    lines = []
    for spec in served.topology.sink_topics:
        readers = [other.flow.name for other in flows if other.topology.source_topic(spec.name) is not None]
        if readers:
            lines.append(f"{served.flow.name} → {spec.name} → {', '.join(readers)}")
    for spec in served.topology.source_topics:
        writers = [other.flow.name for other in flows if spec.name in {sink.name for sink in other.topology.sink_topics}]
        if writers:
            lines.append(f"{', '.join(writers)} → {spec.name} → {served.flow.name}")
    return list(dict.fromkeys(lines))
