"""The dashboard: the views that a flow declares of its state and results."""

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any

from nicegui import ui

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.charts import LineChart
from eddyline.adapters.page.parts.elements import box, field, set_attributes, set_text, text
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
_FIRST_ROWS = 10
_ONE_LINE = 44
"""Cells of a column whose texts are all as short are not wrapped, unless it has the longest texts of its table."""
_LONGEST = 400
_MOST_COLUMNS = 5
"""Wider tables of a detail get the whole width."""

_TIME = "time"

_NO_STATE = "The store is empty, or has no changelog yet."

Row = Mapping[str, object]
Refresh = Callable[[], Awaitable[None]]


async def show(frame: Frame) -> None:
    """Build the view."""
    flow = frame.flow.flow
    frame.heading("Dashboard", f"{flow.name}: {flow.summary} {frame.times}")
    views = flow.views
    charts = [view for view in views if isinstance(view, ChartView)]
    topics = dict.fromkeys(view.topic for view in charts)
    parts: list[Refresh] = [_Charts(frame.flow, topic, charts).refresh for topic in topics]
    for number, view in enumerate(views):
        if isinstance(view, TableView):
            parts.append(_StoreTable(frame, view, f"table-{number}").refresh)
        elif isinstance(view, DetailView):
            parts.append(_Detail(frame, view, f"detail-{number}").refresh)
        elif isinstance(view, FeedView):
            parts.append(_Feed(frame, view, f"feed-{number}").refresh)

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
                self._charts = [
                    LineChart(view.title, view.unit, describe="{:,.6g}".format, tall=True, local=True) for view in self._views
                ]

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


class _Rows:
    """A table whose columns are those of its rows: the first rows, until people ask for all."""

    def __init__(self, frame: Frame, title: str, names: Names) -> None:
        self._frame, self._title, self._names = frame, title, names
        self._given: tuple[Sequence[Row], str, str] = [], "", ""
        self._has_all = False
        self._table = TableOfRows(title)
        with box("div", "actions"):
            self._more = text("button", "", "button", type="button")
        self._more.on("click", self._toggle)

    def _toggle(self) -> None:
        self._has_all = not self._has_all
        self.show(*self._given)

    def show(self, rows: Sequence[Row], empty: str, filtered: str = "") -> int:
        """Show those of the rows that contain a text, or else the text `empty`; return their number."""
        self._given = rows, empty, filtered
        names, now_ms = list(dict.fromkeys(name for row in rows for name in row)), int(time.time() * 1_000)
        texts = [
            {name: formats.cell(value, self._names, now_ms, self._frame.zone) for name, value in row.items()} for row in rows
        ]
        found = [row for row in texts if not filtered or any(filtered in cell.casefold() for cell in row.values())]
        longest = {name: max((len(row.get(name, "")) for row in texts), default=0) for name in names}
        columns = [
            Column(
                _titled(name),
                numeric=number > 0 and _is_numeric(rows, name),
                tight=_is_time(rows, name) or (number > 0 and longest[name] <= min(_ONE_LINE, max(longest.values()) - 1)),
            )
            for number, name in enumerate(names)
        ]
        shown = found[: _TABLE_ROWS if self._has_all else _FIRST_ROWS]
        cells = [[formats.shortened(row.get(name, formats.MISSING), _LONGEST) for name in names] for row in shown]
        self._table.show(columns or [Column("Rows")], cells, empty)
        most = min(len(found), _TABLE_ROWS)
        which = f"all {most:,}" if most == len(found) else f"the first {most:,}"
        set_text(self._more, "Show fewer rows" if self._has_all else f"Show {which} rows")
        set_attributes(self._more, aria_label=f"{self._more.text} of {self._title}")
        self._more.set_visibility(most > _FIRST_ROWS)
        return len(found)


class _Listed:
    """A table with a filter."""

    def __init__(self, frame: Frame, title: str, identity: str, empty: str, names: Names) -> None:
        self._empty, self._filter = empty, ""
        self._rows: list[Row] = []
        with box("section", "section", aria_labelledby=identity):
            with box("div", "section-head"):
                text("h2", title, id=identity)
                self._search = box("div", "inline")
                with self._search:
                    text("label", "Filter", for_=f"{identity}-filter")
                    field = box("input", id=f"{identity}-filter", type="search", autocomplete="off")
                    field.on("input", self._choose, js_handler="(e) => emit(e.target.value)", throttle=0.2)
                self._count = text("span", "", "muted", role="status")
            self._table = _Rows(frame, title, names)

    def _choose(self, event: Any) -> None:
        self._filter = str(event.args).casefold()
        self.show(self._rows)

    def show(self, rows: list[Row]) -> None:
        """Show rows."""
        self._rows = rows
        found, total = self._table.show(rows, "No row matches." if rows else self._empty, self._filter), len(rows)
        self._search.set_visibility(total > _FIRST_ROWS)
        every = formats.counted(total, "row")
        set_text(self._count, f"{found:,} of {every}" if self._filter else every if total > _FIRST_ROWS else "")


class _StoreTable:
    """A table of a store."""

    def __init__(self, frame: Frame, view: TableView, identity: str) -> None:
        self._flow, self._view = frame.flow, view
        self._table = _Listed(frame, view.title, identity, _NO_STATE, frame.flow.names_of(""))

    async def refresh(self) -> None:
        self._table.show(await in_thread(self._read))

    def _read(self) -> list[Row]:
        try:
            answer = self._flow.queries.latest(self._view.store, limit=_TABLE_KEYS)
        except UnknownStoreError:
            return []
        rows = self._view.rows or partial(_fields, self._flow.names_of(""))
        found = [
            found
            for row in answer.rows
            for found in rows(row.key if row.window is None else Windowed(row.key, row.window), row.value)
        ]
        return found if self._view.order is None else sorted(found, key=self._view.order)


class _Feed:
    """The latest records of a topic."""

    def __init__(self, frame: Frame, view: FeedView, identity: str) -> None:
        self._frame, self._flow, self._view = frame, frame.flow, view
        self._table = _Listed(frame, view.title, identity, "Nothing yet.", self._flow.names_of(self._flow.topic(view.topic)))

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
            {_TIME: self._frame.moment(record.timestamp), **found}
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
        self._example: Any = None
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

    def _part(self, part: DetailPart, identity: str) -> tuple[ui.element, _Rows]:
        with box("section", "section part", aria_labelledby=identity) as section:
            text("h3", part.title, id=identity)
            return section, _Rows(self._frame, part.title, self._names)

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
        for (section, table), rows in zip(self._tables, found, strict=True):
            table.show(rows, "None." if subject else _NO_STATE)
            if any(len(row) > _MOST_COLUMNS for row in rows):
                section.classes("whole")

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
        if self._chosen is not None:
            key = self._frame.served.keys_of(info).key(self._chosen)
        else:
            key = self._example = self._example or self._latest_subject(known) or known[0]
        rows = [self._rows(part, key) for part in self._view.parts]
        return suggested, formats.shown(key, self._names), rows

    def _latest_subject(self, known: Sequence[Any]) -> Any:
        """Return the known key about which a topic has the latest record, None if there is none."""
        for part in self._view.parts:
            if part.topic is not None:
                subject = part.subject or _key_itself
                for record in self._flow.results.latest(self._flow.topic(part.topic), _FEED_RECORDS):
                    if record.error is None and record.value is not None:
                        key = subject(record.key, record.value)
                        if key in known:
                            return key
        return None

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
            {_TIME: self._frame.moment(record.timestamp), **found}
            for record in islice(about, _FEED_RECORDS)
            for found in part.rows(record.key, record.value)
        ]


def _key_itself(key: Any, _value: Any) -> Any:
    return key.key if isinstance(key, Windowed) else key


def _in_words(sentence: Callable[[Any, Any], str], key: Any, value: Any) -> Iterator[Row]:
    yield {"what happened": sentence(key, value)}


def _titled(name: str) -> str:
    return name[:1].upper() + name[1:]


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
