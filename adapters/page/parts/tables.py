"""Tables: real HTML tables with headers, which become one card a row on narrow screens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, link, set_attributes, set_text, text
from eddyline.application.topology.types import Names

_FULL = 2_000


@dataclass(frozen=True)
class Column:
    """A column: its header, and whether it has numbers at the right, cells that stay on one line, keys, or long texts."""

    header: str
    numeric: bool = False
    tight: bool = False
    wide: bool = False
    key: bool = False

    @property
    def classes(self) -> str:
        """The class of the cells."""
        return next((name for name in ("numeric", "tight", "wide", "key") if getattr(self, name)), "")


KEY = Column("Key", key=True)


@dataclass(frozen=True)
class Cell:
    """A cell with a link, in a tone such as `bad`, or with a note below the text.

    `full` is shown when people point at a text that is shortened.
    """

    text: str
    href: str | None = None
    tone: str = ""
    full: str | None = None
    note: str = ""


class Table:
    """A table whose rows can be replaced; cells that stay the same are not sent again.

    Args:
        caption: What the table has, for screen readers.
        columns: The columns. The first one heads the rows.
        empty: What is shown instead of rows.
    """

    def __init__(self, caption: str, columns: Sequence[Column], empty: str) -> None:
        self._columns = columns
        self._shapes: list[list[tuple[bool, str]]] = []
        self._cells: list[list[Any]] = []
        self._table = box("table", "table", role="table")
        with self._table:
            text("caption", caption, "unseen")
            with box("thead", role="rowgroup"), box("tr", role="row"):
                for column in columns:
                    text("th", column.header, "numeric" if column.numeric else "", scope="col", role="columnheader")
            self._body = box("tbody", role="rowgroup")
        self._empty = text("p", empty, "empty")
        self.show([])

    def show(self, rows: Sequence[Sequence[Cell | str]]) -> None:
        """Show these rows."""
        cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
        shapes = [[(cell.href is not None, cell.note) for cell in row] for row in cells]
        self._table.set_visibility(bool(rows))
        self._empty.set_visibility(not rows)
        if shapes != self._shapes:
            self._build(cells)
            self._shapes = shapes
            return
        for elements, row in zip(self._cells, cells, strict=True):
            for element, cell in zip(elements, row, strict=True):
                set_text(element, cell.text)
                set_attributes(element, title=cell.full, data_tone=cell.tone or None)
                if cell.href is not None:
                    set_attributes(element, href=cell.href)

    def _build(self, rows: Sequence[Sequence[Cell]]) -> None:
        self._body.clear()
        self._cells = []
        with self._body:
            for row in rows:
                with box("tr", role="row"):
                    pairs = zip(self._columns, row, strict=True)
                    self._cells.append([self._cell(number, column, cell) for number, (column, cell) in enumerate(pairs)])

    @staticmethod
    def _cell(number: int, column: Column, cell: Cell) -> ui.element:
        heads = {"scope": "row", "role": "rowheader"} if number == 0 else {"role": "cell"}
        tag = "td" if number else "th"
        with box(tag, column.classes, data_label=column.header, **heads), box("span", "cell"):
            marks: dict[str, Any] = {"title": cell.full, "data_tone": cell.tone or None}
            element = text("span", cell.text, **marks) if cell.href is None else link(cell.text, cell.href, **marks)
            if cell.note:
                text("small", cell.note)
        return element


def value_columns(fields: Sequence[str], values: Sequence[object], names: Names) -> list[Column]:
    """Return a column for each of the fields of values, or one for the values if they have no fields in common."""
    known = [formats.columns_of(value, names) for value in values if value is not None]
    columns = [Column(field, numeric=all(_is_number(value[field]) for value in known)) for field in fields]
    return columns or [Column("Value", wide=True)]


def value_cells(value: object, fields: Sequence[str], names: Names) -> list[Cell | str]:
    """Return the cells of a value in these columns."""
    found = formats.columns_of(value, names)
    return [_value_cell(part, names) for part in ([found.get(field) for field in fields] if fields else [value])]


def _value_cell(value: object, names: Names) -> Cell:
    text_ = formats.shown(value, names)
    is_nested = isinstance(formats.plain(value, names), dict | list)
    return Cell(formats.shortened(text_), full=formats.shortened(formats.indented(value, names), _FULL) if is_nested else None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class TableOfRows:
    """A table whose columns are those of its rows.

    Args:
        caption: What the table has, for screen readers.
    """

    def __init__(self, caption: str) -> None:
        self._caption = caption
        self._holder = box("div", "card table-card", role="group", aria_label=caption, tabindex="0")
        self._columns: Sequence[Column] = ()
        self._table: Table | None = None

    def show(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell | str]], empty: str) -> None:
        """Show these rows, or a text instead of none."""
        if columns != self._columns or self._table is None:
            self._columns = columns
            self._holder.clear()
            with self._holder:
                self._table = Table(self._caption, columns, empty)
        self._table.show(rows)
