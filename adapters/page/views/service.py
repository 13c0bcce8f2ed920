"""The first page of a server with several flows: what belongs together, how it is connected, and what happens."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, link, set_text, text
from eddyline.adapters.page.progress import FlowProgress
from eddyline.adapters.page.served import ServedFlow
from eddyline.adapters.page.views.overview import progress_of
from eddyline.application.flows.views import FeedView

_INTERVAL_S = 2.0
_FACTS = 3
_OTHERS = "Flows"


async def show(frame: Frame) -> None:
    """Build the view."""
    flows = frame.served.flows
    frame.heading("Service", f"{formats.counted(len(flows), 'flow')} of one process, by what they are about.")
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
        for card in cards:
            await card.refresh()

    await frame.every(_INTERVAL_S, refresh)


class _Card:
    """A flow: its state, its numbers, its neighbours and its last facts."""

    def __init__(self, frame: Frame, served: ServedFlow, flows: Sequence[ServedFlow]) -> None:
        self._served = served
        self._feeds = [view for view in served.flow.views if isinstance(view, FeedView) and view.sentence is not None]
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
        progress, facts = await in_thread(partial(self._read))
        if progress is not None:
            set_text(self._badge, progress.state)
            self._badge.classes(replace=f"badge {progress.tone}")
            set_text(self._numbers, f"{formats.rate(progress.now.throughput)} · lag {formats.number(progress.now.lag)}")
        set_text(self._problem, (progress.failure or "") if progress is not None else "")
        for element, fact in zip(self._facts, [*facts, *[""] * _FACTS], strict=False):
            set_text(element, fact)

    def _read(self) -> tuple[FlowProgress | None, list[str]]:
        found = [
            (record.timestamp, view.sentence(record.key, record.value))
            for view in self._feeds
            for record in self._served.results.latest(view.topic, _FACTS)
            if view.sentence is not None and record.error is None and record.value is not None
        ]
        facts = [f"{formats.clock(at)} {sentence}" for at, sentence in sorted(found, reverse=True)[:_FACTS]]
        return progress_of(self._served), facts


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
