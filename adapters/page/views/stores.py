"""The stores: a list of them, and the rows of one, to browse and to search."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, field, link, notice, set_text, text
from eddyline.adapters.page.parts.tables import KEY, Cell, Column, Table, TableOfRows, value_cells, value_columns
from eddyline.adapters.page.progress import WAITING, Waiting
from eddyline.application.queries.answers import Answer, Freshness, InvalidQueryError, StoreInfo, UnknownStoreError
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import type_name

_INTERVAL_S = 2.0
_LATEST = (1 << 63) - 1
_PAGE_ROWS = 25
_WINDOWED = {StoreKind.WINDOW, StoreKind.SESSION}
_SEARCHES = {"": "All rows", "latest": "Latest of each key", "key": "Key", "prefix": "Prefix", "range": "Range of keys"}


async def show(frame: Frame) -> None:
    """Build the list of stores, or the view of the store that the address names."""
    name = frame.query.get("store")
    if name is None:
        await frame.every(_INTERVAL_S, _StoreList(frame).refresh)
        return
    try:
        store = await in_thread(partial(frame.flow.queries.store, name))
    except UnknownStoreError as error:
        frame.heading("Stores")
        notice(str(error), "bad", role="alert")
        link("All stores", frame.href("stores"))
        return
    await frame.every(_INTERVAL_S, _StoreRows(frame, store).refresh)


class _StoreList:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        frame.heading("Stores", "The state of the flow. Open a store to browse and to search it.")
        columns = [
            Column("Store"),
            Column("Kind"),
            Column("Keys"),
            Column("Values"),
            Column("Entries", numeric=True),
            Column("Size", numeric=True),
            Column("Lag", numeric=True),
        ]
        empty = "No store has a changelog yet. A flow writes them with 'run --serve', or with the setting changelog.stores=all."
        with box("div", "card table-card"):
            self._table = Table("The stores of the flow", columns, empty)

    async def refresh(self) -> None:
        found = await in_thread(self._frame.flow.queries.stores)
        self._table.show([self._row(store) for store in found])

    def _row(self, store: StoreInfo) -> list[Cell | str]:
        fresh = store.freshness
        return [
            Cell(store.name, href=self._frame.href("stores", store=store.name)),
            store.kind.value,
            type_name(store.key_type),
            formats.shortened(type_name(store.value_type), 60),
            formats.number(store.entries),
            formats.size(store.size_bytes),
            Cell("restoring", tone="warn") if fresh.restoring else formats.number(fresh.lag),
        ]


class _StoreRows:
    def __init__(self, frame: Frame, store: StoreInfo) -> None:
        self._frame, self._store = frame, store
        self._waiting = Waiting()
        self._keys = frame.served.keys_of(store)
        self._search = frame.query.get("by", "")
        self._text, self._last = frame.query.get("text", ""), frame.query.get("last", "")
        with box("nav", aria_label="Breadcrumb"):
            link("All stores", frame.href("stores"))
        keys, values = type_name(store.key_type), type_name(store.value_type)
        described = f"{store.kind.value} store with keys of type {keys} and values of type {values}"
        with frame.heading(store.name, f"A {described}."):
            self._badge = text("span", "", "badge", role="status")
        self._freshness = text("p", "", "muted")
        self._form()
        self._problem = notice("", "bad", role="alert")
        self._problem.set_visibility(False)
        self._table = TableOfRows(f"Rows of {store.name}")
        with box("div", "actions"):
            self._first = link("First page", "", "button")
            self._next = link("Next page", "", "button")
        self._first.set_visibility(False)
        self._next.set_visibility(False)
        self._detail = box("div", "section")

    def _form(self) -> None:
        choices = {name: title for name, title in _SEARCHES.items() if self._offers(name)}
        with box("form", "card fields", method="get", role="search", aria_label=f"Search {self._store.name}"):
            for name in ("flow", "store"):
                if name in self._frame.query:
                    box("input", type="hidden", name=name, value=self._frame.query[name])
            with box("div"):
                text("label", "Show", for_="by")
                with box("select", id="by", name="by"):
                    for name, title in choices.items():
                        text("option", title, value=name, selected=True if name == self._search else None)
            with box("div"):
                text("label", "Key or its beginning", for_="text")
                field("text", self._text, placeholder=self._keys.described)
            if self._offers("range"):
                with box("div"):
                    text("label", "Last key", for_="last")
                    field("last", self._last)
            if self._store.kind in _WINDOWED:
                for name, label in (("since", "Windows from (UTC)"), ("until", "to (UTC)")):
                    with box("div"):
                        text("label", label, for_=name)
                        field(name, self._frame.query.get(name, ""), "datetime-local", step="1")
            text("button", "Search", "button primary", type="submit")

    def _offers(self, search: str) -> bool:
        if search == "latest":
            return self._store.kind in {*_WINDOWED, StoreKind.VERSIONED}
        return self._keys.have_prefixes if search == "prefix" else True

    async def refresh(self) -> None:
        try:
            answer = await in_thread(self._query())
        except InvalidQueryError as error:
            self._problem.set_text(str(error))
            self._problem.set_visibility(True)
            return
        self._problem.set_visibility(False)
        self._show_freshness(answer.freshness)
        self._show_rows(answer.rows)
        self._show_pages(answer.cursor)

    def _query(self) -> Callable[[], Answer]:
        queries, name = self._frame.flow.queries, self._store.name
        paged: dict[str, Any] = {"limit": _PAGE_ROWS, "cursor": self._frame.query.get("cursor")}
        if self._text and self._search == "key":
            since, until = (_milliseconds(self._frame.query.get(edge, "")) for edge in ("since", "until"))
            if since is None and until is None:
                return lambda: queries.get(name, self._keys.key(self._text))
            times = since or 0, _LATEST if until is None else until
            return lambda: queries.windows(name, self._keys.key(self._text), *times)
        if self._text and self._search == "prefix":
            return lambda: queries.prefix(name, self._keys.prefix(self._text), **paged)
        if self._search == "latest":
            return partial(queries.latest, name, **paged)
        first, last = (self._text, self._last) if self._search == "range" else ("", "")
        return lambda: queries.range(
            name, self._keys.key(first) if first else None, self._keys.key(last) if last else None, **paged
        )

    def _show_freshness(self, fresh: Freshness) -> None:
        is_behind = self._waiting.is_behind(self._store.name, fresh.batch, fresh.lag, int(time.time() * 1_000))
        state, tone = (WAITING, "") if fresh.lag else ("up to date", "good")
        if fresh.restoring or is_behind:
            state, tone = "restoring" if fresh.restoring else "behind", "warn"
        set_text(self._badge, state)
        self._badge.classes(replace=f"badge {tone}")
        parts = [f"Stream time {formats.time(fresh.stream_time)} UTC", f"lag {formats.counted(fresh.lag, 'record')}"]
        if fresh.batch is not None:
            parts.append(f"batch {fresh.batch} of {formats.time(fresh.batch_time)} UTC")
        set_text(self._freshness, "; ".join(parts) + ".")

    def _show_rows(self, rows: Sequence[StoreRow]) -> None:
        names = self._store.names
        values = [row.value for row in rows]
        fields = formats.common_fields(values, names)
        columns = [KEY]
        if self._store.kind in _WINDOWED:
            columns += [Column("From (UTC)", tight=True), Column("To (UTC)", tight=True)]
        columns += value_columns(fields, values, names)
        columns += [Column("Valid to (UTC)", tight=True)] if self._store.kind is StoreKind.VERSIONED else []
        columns += [Column("Updated (UTC)", tight=True), *([Column("Inputs")] if self._search == "key" else [])]
        empty = "No rows match this search." if self._text else "The store is empty."
        self._table.show(columns, [self._cells(row, fields) for row in rows], empty)

    def _cells(self, row: StoreRow, fields: Sequence[str]) -> list[Cell | str]:
        names = self._store.names
        key = formats.shown(row.key, names)
        cells: list[Cell | str] = [Cell(formats.shortened(key, 60), href=self._of_key(row), full=key if len(key) > 60 else None)]  # noqa: PLR2004
        if row.window is not None:
            cells += [formats.time(row.window.start), formats.time(row.window.end)]
        cells += value_cells(row.value, fields, names)
        cells += [formats.time(row.valid_to)] if self._store.kind is StoreKind.VERSIONED else []
        cells += [formats.time(row.timestamp)]
        return [*cells, Cell("Why?", href=self._why(row))] if self._search == "key" else cells

    def _why(self, row: StoreRow) -> str:
        window = None if row.window is None else row.window.start
        return self._frame.href("why", store=self._store.name, key=self._text, window=window)

    def _of_key(self, row: StoreRow) -> str | None:
        plain = formats.plain(row.key, self._store.names)
        written = plain if isinstance(plain, str) else formats.indented(plain, self._store.names)
        return self._frame.href("stores", store=self._store.name, by="key", text=written)

    def _show_pages(self, cursor: str | None) -> None:
        query = self._frame.query
        address = partial(
            self._frame.href,
            "stores",
            store=self._store.name,
            by=self._search or None,
            text=self._text or None,
            last=self._last or None,
        )
        self._first.props["href"] = address()
        self._next.props["href"] = address(cursor=cursor)
        self._first.set_visibility("cursor" in query)
        self._next.set_visibility(cursor is not None)
        self._first.update()
        self._next.update()


def _milliseconds(text_: str) -> int | None:
    """Return a time that people have chosen in UTC, None if they have not."""
    try:
        return int(datetime.fromisoformat(text_).replace(tzinfo=UTC).timestamp() * 1_000)
    except ValueError:
        return None
