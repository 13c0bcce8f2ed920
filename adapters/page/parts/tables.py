"""Tables: real HTML tables with headers, which become one card a row on narrow screens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from eddyline.adapters.page.parts.elements import box, link, set_attributes, set_text, text


@dataclass(frozen=True)
class Column:
    """A column: its header, and whether it has numbers at the right, cells that stay on one line, or long texts."""

    header: str
    numeric: bool = False
    tight: bool = False
    wide: bool = False

    @property
    def classes(self) -> str:
        """The class of the cells."""
        return next((name for name in ("numeric", "tight", "wide") if getattr(self, name)), "")


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
