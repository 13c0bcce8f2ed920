"""The dashboard: the views that a flow declares of its state and results."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.charts import LineChart
from eddyline.adapters.page.parts.elements import box, field, set_text, text
from eddyline.adapters.page.parts.tables import Column, TableOfRows
from eddyline.adapters.page.served import ServedFlow
from eddyline.application.flows.views import ChartView, DetailPart, DetailView, FeedView, TableView
from eddyline.application.queries.answers import UnknownStoreError
from eddyline.application.queries.latest_records import TopicRecord
from eddyline.application.topology import Windowed
from eddyline.application.topology.types import Names

_INTERVAL_S = 2.0
_CHART_RECORDS = 2_000
_FEED_RECORDS = 30
_DETAIL_RECORDS = 1_000
_TABLE_KEYS = 500
_TABLE_ROWS = 100

_TIME = "time (UTC)"

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
        elif isinstance(view, DetailView):
            parts.append(_Detail(frame, view, f"detail-{number}").refresh)
        elif isinstance(view, FeedView):
            parts.append(_Feed(frame.flow, view, f"feed-{number}").refresh)

    async def refresh() -> None:
        for part in parts:
            await part()

    await frame.every(_INTERVAL_S, refresh)


class _Charts:
    """The charts of one topic, of a key that people choose."""

    def __init__(self, flow: ServedFlow, topic: str, views: Sequence[ChartView]) -> None:
        self._flow, self._topic = flow, flow.topic(topic)
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
        texts = _texts(rows, self._names)
        matching = [row for row in texts if any(self._filter in cell.casefold() for cell in row.values())]
        _fill(self._table, rows, matching, self._empty)
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
        found = [found for row in answer.rows for found in rows(row.key, row.value)]
        return found if self._view.order is None else sorted(found, key=self._view.order)


class _Feed:
    """The latest records of a topic."""

    def __init__(self, flow: ServedFlow, view: FeedView, identity: str) -> None:
        self._flow, self._view = flow, view
        self._table = _Listed(view.title, identity, "Nothing yet.", flow.names_of(flow.topic(view.topic)))

    async def refresh(self) -> None:
        self._table.show(await in_thread(self._read))

    def _read(self) -> list[Row]:
        topic = self._flow.topic(self._view.topic)
        rows = self._view.rows or (
            partial(_in_words, self._view.sentence)
            if self._view.sentence is not None
            else partial(_fields, self._flow.names_of(topic))
        )
        return [
            {_TIME: formats.time(record.timestamp), **found}
            for record in self._flow.results.latest(topic, _FEED_RECORDS)
            if record.error is None and record.value is not None
            for found in rows(record.key, record.value)
        ]


class _Detail:
    """What a store and topics have about one of the keys of the store, which people choose."""

    def __init__(self, frame: Frame, view: DetailView, identity: str) -> None:
        self._frame, self._flow, self._view = frame, frame.flow, view
        self._names = frame.flow.names_of("")
        self._chosen: str | None = None
        self._suggested: list[str] = []
        with box("section", "section", aria_labelledby=identity):
            with box("div", "section-head"):
                text("h2", view.title, id=identity)
                with box("div", "inline"):
                    text("label", f"Choose a {view.title.lower()}", for_=f"{identity}-key")
                    self._field = field(f"{identity}-key", "", "text", list=f"{identity}-keys")
                    self._field.on("change", self._choose, js_handler="(e) => emit(e.target.value)")
                self._suggestions = box("datalist", id=f"{identity}-keys")
                self._shown = text("strong", "", role="status")
            with box("div", "charts"):
                self._tables = [self._part(part, f"{identity}-{number}") for number, part in enumerate(view.parts)]

    @staticmethod
    def _part(part: DetailPart, identity: str) -> TableOfRows:
        with box("section", "section part", aria_labelledby=identity):
            text("h3", part.title, id=identity)
            return TableOfRows(part.title)

    async def _choose(self, event: Any) -> None:
        self._chosen = str(event.args).strip() or None
        await self._frame.attempt(self.refresh)

    async def refresh(self) -> None:
        suggested, subject, found = await in_thread(self._read)
        if suggested != self._suggested:
            self._suggested = suggested
            self._suggestions.clear()
            with self._suggestions:
                for key in suggested:
                    box("option", value=key)
        set_text(self._shown, subject)
        empty = "Nothing." if subject else "The store is empty, or has no changelog yet."
        for table, rows in zip(self._tables, found, strict=True):
            _fill(table, rows, _texts(rows, self._names), empty)

    def _read(self) -> tuple[list[str], str, list[list[Row]]]:
        """Return some keys, the one that is shown, and the rows of each part."""
        store, nothing = self._view.store, [list[Row]() for _ in self._view.parts]
        try:
            info = self._flow.queries.store(store)
            known = [row.key for row in self._flow.queries.latest(store, limit=_TABLE_KEYS).rows]
        except UnknownStoreError:
            return [], "", nothing
        suggested = [str(key) for key in known]
        if self._chosen is None and not known:
            return [], "", nothing
        key = known[0] if self._chosen is None else self._frame.served.keys_of(info).key(self._chosen)
        rows = [self._rows(part, key) for part in self._view.parts]
        return suggested, formats.shown(key, self._names), rows

    def _rows(self, part: DetailPart, key: Any) -> list[Row]:
        if part.topic is None:
            answer = self._flow.queries.get(self._view.store, key)
            return [found for row in answer.rows for found in part.rows(row.key, row.value)]
        subject = part.subject or _key_itself
        about = (
            record
            for record in self._flow.results.latest(self._flow.topic(part.topic), _DETAIL_RECORDS)
            if record.error is None and record.value is not None and subject(record.key, record.value) == key
        )
        return [
            {_TIME: formats.time(record.timestamp), **found}
            for record in islice(about, _FEED_RECORDS)
            for found in part.rows(record.key, record.value)
        ]


def _key_itself(key: Any, _value: Any) -> Any:
    return key.key if isinstance(key, Windowed) else key


def _in_words(sentence: Callable[[Any, Any], str], key: Any, value: Any) -> Iterator[Row]:
    yield {"what happened": sentence(key, value)}


def _texts(rows: Iterable[Row], names: Names) -> list[dict[str, str]]:
    return [{name: formats.cell(value, names) for name, value in row.items()} for row in rows]


def _fill(table: TableOfRows, rows: Sequence[Row], texts: Sequence[Mapping[str, str]], empty: str) -> None:
    """Show the first of these texts, which are those of some of the rows, in the columns of all rows."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [Column(name, numeric=_is_numeric(rows, name), tight=_is_time(rows, name)) for name in names] or [Column("Rows")]
    cells = [[formats.shortened(row.get(name, formats.MISSING)) for name in names] for row in texts[:_TABLE_ROWS]]
    table.show(columns, cells, empty)


def _fields(names: Names, key: Any, value: Any) -> Iterator[Row]:
    yield {"key": key, **formats.columns_of(value, names)}


def _key_and_time(record: TopicRecord, names: Names) -> tuple[str, int]:
    if isinstance(record.key, Windowed):
        return formats.shown(record.key.key, names), record.key.window.start
    return formats.shown(record.key, names), record.timestamp


def _is_time(rows: Iterable[Row], name: str) -> bool:
    return name == _TIME or any(isinstance(row.get(name), date) for row in rows)


def _is_numeric(rows: Iterable[Row], name: str) -> bool:
    values = [row[name] for row in rows if row.get(name) is not None]
    return bool(values) and all(
        isinstance(value, int | float | Decimal | timedelta) and not isinstance(value, bool) for value in values
    )
