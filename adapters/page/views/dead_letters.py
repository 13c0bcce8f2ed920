"""The dead letters: a list with reasons, the bytes of one, and redriving."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, field, link, notice, set_attributes, set_text, text
from eddyline.adapters.page.parts.tables import Cell, Column, Table
from eddyline.application.operations.dead_letter_log import (
    DeadLetter,
    LetterPosition,
    NoSuchLetterError,
    parse_letter_position,
)
from eddyline.application.operations.dead_letter_service import LetterPage, RedriveSummary
from eddyline.application.operations.redrive import Outcome
from eddyline.application.runtime.plan.dead_letters import original_headers

_INTERVAL_S = 5.0
_LISTED = 50
_EACH = (
    "Each record that was not redriven yet is written back to the partition that it came from. If it fails again, it becomes a"
    " new dead letter."
)
_READ_ONLY = "You may look at dead letters. Redriving them needs the credentials of an operator."


async def show(frame: Frame) -> None:
    """Build the list, or the view of the dead letter that the address names."""
    position = frame.query.get("at")
    if position is None:
        await frame.every(_INTERVAL_S, _LetterList(frame).refresh)
        return
    try:
        found = await in_thread(lambda: frame.flow.dead_letters.at(parse_letter_position(position)))
    except (NoSuchLetterError, ValueError) as error:
        frame.heading("Dead letters")
        notice(str(error), "bad", role="alert")
        link("All dead letters", frame.href("dead-letters"))
        return
    _Letter(frame, found.letter).show(redriven=found.redriven)


class _LetterList:
    """The latest dead letters, as far as they match, with older ones on further pages."""

    def __init__(self, frame: Frame) -> None:
        self._frame, self._letters = frame, frame.flow.dead_letters
        self._topic, self._exception = frame.query.get("topic", ""), frame.query.get("exception", "")
        self._cursor = frame.query.get("cursor")
        self._left: list[LetterPosition] = []
        frame.heading("Dead letters", "Records that could not be processed, with the reason. Open one to see its bytes.")
        with box("form", "card fields", method="get", role="search", aria_label="Filter dead letters"):
            if "flow" in frame.query:
                box("input", type="hidden", name="flow", value=frame.query["flow"])
            for name, label, value in (("topic", "Topic", self._topic), ("exception", "Exception", self._exception)):
                with box("div"):
                    text("label", label, for_=name)
                    field(name, value)
            text("button", "Filter", "button primary", type="submit")
        with box("div", "actions"):
            self._summary = text("p", "", "muted")
            self._these = text("button", "", "button danger", type="button")
            self._all = text("button", "Redrive all …", "button danger", type="button")
            self._these.on("click", self._ask_these)
            self._all.on("click", self._ask_all)
            self._status = text("p", "" if frame.may_operate else _READ_ONLY, role="status")
        columns = [
            Column("Position", tight=True),
            Column("Topic"),
            Column("Record", tight=True),
            Column("Time (UTC)", tight=True),
            Column("Exception"),
            Column("Message", wide=True),
            Column("Redriven"),
        ]
        with box("div", "card table-card"):
            empty = "No dead letter matches." if self._topic or self._exception else "There are no dead letters."
            self._table = Table("The latest dead letters", columns, empty)
        with box("div", "actions"):
            self._first = link("Latest", self._address(), "button")
            self._next = link("Older", "", "button")
        self._first.set_visibility(self._cursor is not None)
        for hidden in (self._next, self._these, self._all):
            hidden.set_visibility(False)

    async def refresh(self) -> None:
        page = await in_thread(self._read)
        self._table.show([self._row(found.letter, redriven=found.redriven) for found in page.letters])
        self._left = [found.letter.position for found in page.letters if not found.redriven]
        set_text(self._summary, f"{formats.counted(page.total, 'dead letter')} in topic '{self._letters.topic}'.")
        set_text(self._these, f"Redrive the {formats.counted(len(self._left), 'record')} below …")
        self._these.set_visibility(self._frame.may_operate and bool(self._left))
        self._all.set_visibility(self._frame.may_operate and bool(self._left) and not self._exception)
        set_attributes(self._next, href=self._address(page.cursor))
        self._next.set_visibility(page.cursor is not None)

    def _read(self) -> LetterPage:
        return self._letters.page(_LISTED, self._cursor, topic=self._topic or None, exception=self._exception or None)

    def _address(self, cursor: str | None = None) -> str:
        return self._frame.href("dead-letters", topic=self._topic or None, exception=self._exception or None, cursor=cursor)

    def _row(self, letter: DeadLetter, *, redriven: bool) -> list[Cell | str]:
        reason = letter.reason
        return [
            Cell(str(letter.position), href=self._frame.href("dead-letters", at=str(letter.position))),
            reason.topic or formats.MISSING,
            _origin(letter),
            formats.time(letter.record.timestamp),
            Cell(reason.exception or formats.MISSING, tone="bad"),
            Cell(formats.shortened(" ".join(reason.message.split()), 110), full=formats.shortened(reason.message, 1_000)),
            Cell("yes", tone="good") if redriven else Cell("no", tone="muted"),
        ]

    async def _ask_these(self) -> None:
        positions = list(self._left)
        title = f"Redrive {formats.counted(len(positions), 'record')}?"
        await _confirm(title, _EACH, lambda: self._redrive(partial(self._letters.redrive, positions)))

    async def _ask_all(self) -> None:
        title = f"Redrive all dead letters of topic '{self._topic}'?" if self._topic else "Redrive all dead letters?"
        await _confirm(title, _EACH, lambda: self._redrive(partial(self._letters.redrive_all, self._topic or None)))

    async def _redrive(self, redrive: Callable[[], RedriveSummary]) -> None:
        await _redriven(self._frame, self._status, redrive)
        await self._frame.attempt(self.refresh)


class _Letter:
    """One dead letter: its reason, its bytes, and a button that redrives it."""

    def __init__(self, frame: Frame, letter: DeadLetter) -> None:
        self._frame, self._letter = frame, letter
        reason, record = letter.reason, letter.record
        with box("nav", aria_label="Breadcrumb"):
            link("All dead letters", frame.href("dead-letters"))
        frame.heading(f"Dead letter {letter.position}")
        notice(f"{reason.exception or 'Error'}: {reason.message}", "bad")
        with box("div", "card"), box("dl", "details"):
            for name, value in (
                ("Topic", reason.topic or formats.MISSING),
                ("Partition and offset", _origin(letter)),
                ("Time", f"{formats.time(record.timestamp)} UTC"),
                ("Operator", reason.operator or formats.MISSING),
            ):
                text("dt", name)
                text("dd", value)
            text("dt", "Redriven")
            self._redriven = text("dd", formats.MISSING)
        with box("div", "actions"):
            self._button = text("button", "Redrive …", "button danger", type="button")
            self._button.on("click", self._ask)
            self._status = text("p", "" if frame.may_operate else _READ_ONLY, role="status")
        _bytes("Key", record.key)
        _bytes("Value", record.value)
        headers = original_headers(record.headers)
        if headers:
            with box("section", "section", aria_label="Headers"):
                text("h2", "Headers")
                rows: list[list[Cell | str]] = [[Cell(name), formats.shortened(_as_text(value))] for name, value in headers]
                with box("div", "card table-card"):
                    Table("The headers of the record", [Column("Name"), Column("Value", wide=True)], "").show(rows)
        if reason.stacktrace:
            with box("details", "card"):
                text("summary", "Traceback")
                text("pre", reason.stacktrace, "data", tabindex="0")

    def show(self, *, redriven: bool) -> None:
        """Show whether the record was redriven."""
        set_text(self._redriven, "yes" if redriven else "no")
        self._button.set_visibility(self._frame.may_operate and not redriven)

    async def _ask(self) -> None:
        reason = self._letter.reason
        what = (
            f"The record is written back to topic '{reason.topic}', partition {reason.partition}."
            " If it fails again, it becomes a new dead letter."
        )
        await _confirm(f"Redrive dead letter {self._letter.position}?", what, self._redrive)

    async def _redrive(self) -> None:
        letters, position = self._frame.flow.dead_letters, self._letter.position
        await _redriven(self._frame, self._status, partial(letters.redrive, [position]))
        self.show(redriven=(await in_thread(partial(letters.at, position))).redriven)


async def _redriven(frame: Frame, status: TextElement, redrive: Callable[[], RedriveSummary]) -> None:
    """Redrive dead letters if the person may, and say what became of them."""
    if not frame.may_operate:
        set_text(status, _READ_ONLY)
        return
    set_text(status, "Redriving …")
    try:
        summary = await in_thread(redrive)
    except Exception as error:  # noqa: BLE001 - whatever the log and the sink raise is for people to read
        set_text(status, f"The redrive has failed: {error}")
        return
    written, refused = summary.counts.get(Outcome.WRITTEN, 0), summary.counts.get(Outcome.NOT_REDRIVABLE, 0)
    result = f"{formats.counted(written, 'record')} redriven."
    if refused:
        obstacle = next((result.obstacle for result in summary.results if result.obstacle), "")
        result += f" {refused:,} cannot be redriven: {obstacle}."
    set_text(status, result)
    ui.run_javascript("document.getElementById('content').focus()")  # the button may be gone


async def _confirm(title: str, what: str, action: Callable[[], Awaitable[None]]) -> None:
    """Ask in a dialog, and call a function if the answer is yes."""
    with ui.dialog() as dialog, box("div", "dialog", role="document"):
        text("h2", title, id="dialog-title")
        text("p", what)
        with box("div", "actions"):
            text("button", "Cancel", "button", type="button", autofocus="").on("click", lambda: dialog.submit(False))  # noqa: FBT003
            text("button", "Redrive", "button primary", type="button").on("click", lambda: dialog.submit(True))  # noqa: FBT003
    dialog.props["aria-labelledby"] = "dialog-title"
    dialog.on("hide", dialog.delete)  # after the focus has gone back to the button
    if await dialog:
        await action()


def _bytes(name: str, data: bytes | None) -> None:
    """Add the bytes of a key or a value, as text and in hexadecimal digits."""
    with box("section", "section", aria_labelledby=f"bytes-{name}"):
        with box("div", "section-head"):
            text("h2", name, id=f"bytes-{name}")
            text("span", "null" if data is None else formats.size(len(data)), "muted")
        if data:
            text("h3", "Text")
            text("pre", _as_text(data), "data", tabindex="0")
            text("h3", "Bytes")
            text("pre", formats.hex_dump(data), "data", tabindex="0")


def _as_text(data: bytes | None) -> str:
    return "null" if data is None else formats.shortened(data.decode("utf-8", "replace"), 10_000)


def _origin(letter: DeadLetter) -> str:
    reason = letter.reason
    return formats.MISSING if reason.partition is None or reason.offset is None else f"{reason.partition}:{reason.offset}"
