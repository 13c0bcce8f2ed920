"""The dashboard: the views that a flow declares of its state and results."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.charts import LineChart
from eddyline.adapters.page.parts.elements import box, set_text, text
from eddyline.adapters.page.parts.tables import Column, TableOfRows
from eddyline.adapters.page.served import ServedFlow
from eddyline.application.flows.views import ChartView, FeedView, TableView
from eddyline.application.queries.answers import UnknownStoreError
from eddyline.application.queries.latest_records import TopicRecord
from eddyline.application.topology import Windowed
from eddyline.application.topology.types import Names

_INTERVAL_S = 2.0
_CHART_RECORDS = 2_000
_FEED_RECORDS = 30
_TABLE_KEYS = 500
_TABLE_ROWS = 100

Row = Mapping[str, object]
Refresh = Callable[[], Awaitable[None]]


async def show(frame: Frame) -> None:
    """Build the view."""
    frame.heading("Dashboard", f"What {frame.flow.flow.name} has found.")
    views = frame.flow.flow.views
    charts = [view for view in views if isinstance(view, ChartView)]
    topics = dict.fromkeys(view.topic for view in charts)
    parts: list[Refresh] = [_Charts(frame.flow, topic, charts).refresh for topic in topics]
    for number, view in enumerate(views):
        if isinstance(view, TableView):
            parts.append(_StoreTable(frame.flow, view, f"table-{number}").refresh)
        elif isinstance(view, FeedView):
            parts.append(_Feed(frame.flow, view, f"feed-{number}").refresh)

    async def refresh() -> None:
        for part in parts:
            await part()

    await frame.every(_INTERVAL_S, refresh)


class _Charts:
    """The charts of one topic, of a key that people choose."""

    def __init__(self, flow: ServedFlow, topic: str, views: Sequence[ChartView]) -> None:
        self._flow, self._topic = flow, topic
        self._views = [view for view in views if view.topic == topic]
        self._key: str | None = None
        self._keys: list[str] = []
        with box("section", "section", aria_labelledby=f"charts-{topic}"):
            with box("div", "section-head"):
                text("h2", f"Live from {topic}", id=f"charts-{topic}")
                with box("div", "inline"):
                    text("label", "Key", for_=f"key-{topic}")
                    self._select = box("select", id=f"key-{topic}")
                    self._select.on("change", self._choose, js_handler="(e) => emit(e.target.value)")
            with box("div", "charts"):
                self._charts = [LineChart(view.title, view.unit, describe="{:,.6g}".format, tall=True) for view in self._views]

    async def _choose(self, event: Any) -> None:
        self._key = event.args
        await self.refresh()

    async def refresh(self) -> None:
        names = self._flow.names_of(self._topic)
        records = await in_thread(partial(self._flow.results.latest, self._topic, _CHART_RECORDS))
        by_key: dict[str, dict[int, Any]] = {}
        for record in reversed(records):
            if record.error is None and record.value is not None:
                key, at = _key_and_time(record, names)
                by_key.setdefault(key, {})[at] = record.value
        self._show_keys(sorted(by_key))
        values = sorted(by_key.get(self._key or "", {}).items())
        for view, chart in zip(self._views, self._charts, strict=True):
            chart.show({name: [(at, number(value)) for at, value in values] for name, number in view.values.items()})

    def _show_keys(self, keys: list[str]) -> None:
        if self._key not in keys:
            self._key = keys[0] if keys else None
        if keys != self._keys:
            self._keys = keys
            self._select.clear()
            with self._select:
                for key in keys:
                    text("option", formats.shortened(key, 60), value=key, selected=True if key == self._key else None)


class _Listed:
    """A table whose columns are those of its rows, with a filter."""

    def __init__(self, title: str, identity: str, empty: str, names: Names) -> None:
        self._empty, self._names = empty, names
        self._filter = ""
        self._rows: list[Row] = []
        with box("section", "section", aria_labelledby=identity):
            with box("div", "section-head"):
                text("h2", title, id=identity)
                with box("div", "inline"):
                    text("label", "Filter", for_=f"{identity}-filter")
                    field = box("input", id=f"{identity}-filter", type="search", autocomplete="off")
                    field.on("input", self._choose, js_handler="(e) => emit(e.target.value)", throttle=0.2)
                self._count = text("span", "", "muted")
            self._table = TableOfRows(title)

    def _choose(self, event: Any) -> None:
        self._filter = str(event.args).casefold()
        self.show(self._rows)

    def show(self, rows: list[Row]) -> None:
        """Show rows."""
        self._rows = rows
        texts = [{name: formats.shown(value, self._names) for name, value in row.items()} for row in rows]
        matching = [row for row in texts if any(self._filter in cell.casefold() for cell in row.values())]
        names = list(dict.fromkeys(name for row in texts for name in row))
        columns = [Column(name, numeric=_is_numeric(rows, name)) for name in names] or [Column("Rows")]
        cells = [[formats.shortened(row.get(name, formats.MISSING)) for name in names] for row in matching[:_TABLE_ROWS]]
        self._table.show(columns, cells, self._empty)
        shown = min(len(matching), _TABLE_ROWS)
        set_text(self._count, formats.counted(len(rows), "row") if shown == len(rows) else f"{shown:,} of {len(rows):,} rows")


class _StoreTable:
    """A table of a store."""

    def __init__(self, flow: ServedFlow, view: TableView, identity: str) -> None:
        self._flow, self._view = flow, view
        self._table = _Listed(view.title, identity, "The store is empty, or has no changelog yet.", flow.names_of(""))

    async def refresh(self) -> None:
        self._table.show(await in_thread(self._read))

    def _read(self) -> list[Row]:
        try:
            answer = self._flow.queries.latest(self._view.store, limit=_TABLE_KEYS)
        except UnknownStoreError:
            return []
        rows = self._view.rows or partial(_fields, self._flow.names_of(""))
        return [found for row in answer.rows for found in rows(row.key, row.value)]


class _Feed:
    """The latest records of a topic."""

    def __init__(self, flow: ServedFlow, view: FeedView, identity: str) -> None:
        self._flow, self._view = flow, view
        self._table = _Listed(view.title, identity, "Nothing yet.", flow.names_of(view.topic))

    async def refresh(self) -> None:
        self._table.show(await in_thread(self._read))

    def _read(self) -> list[Row]:
        rows = self._view.rows or partial(_fields, self._flow.names_of(self._view.topic))
        return [
            {"time (UTC)": formats.time(record.timestamp), **found}
            for record in self._flow.results.latest(self._view.topic, _FEED_RECORDS)
            if record.error is None and record.value is not None
            for found in rows(record.key, record.value)
        ]


def _fields(names: Names, key: Any, value: Any) -> Iterator[Row]:
    yield {"key": key, **formats.columns_of(value, names)}


def _key_and_time(record: TopicRecord, names: Names) -> tuple[str, int]:
    if isinstance(record.key, Windowed):
        return formats.shown(record.key.key, names), record.key.window.start
    return formats.shown(record.key, names), record.timestamp


def _is_numeric(rows: Iterable[Row], name: str) -> bool:
    values = [row[name] for row in rows if row.get(name) is not None]
    return bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
