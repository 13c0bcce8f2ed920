"""Why there is a result or an entry of a store, and what became of an input record."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from typing import TypeAlias

from nicegui import Client, background_tasks, ui
from starlette.responses import Response

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import RETRY_AFTER_S, BusyError, in_turn, is_busy
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, field, notice, set_text, text
from eddyline.adapters.page.parts.tables import KEY, Cell, Column, Table
from eddyline.application.lineage.explanation import Explanation, Fate, InputRecord, ResultRecord, StateChange, StoreEntry
from eddyline.application.lineage.limits import Effort, ReplayStoppedError, UnknownSubjectError
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.operations.dead_letter_log import LetterPosition, parse_letter_position
from eddyline.application.ports.event_log import Position
from eddyline.application.queries.answers import QueryError

_INPUTS = 100
_STATE = "State changes"
_PROGRESS_S = 0.5

_Question: TypeAlias = Callable[[Lineage], Explanation | Fate]


async def show(frame: Frame) -> Response | None:
    """Build a form for a record; a browser that opens the view gets the answer about what its address names.

    A request alone replays nothing, and a replay ends when its view is left. While too many views wait for answers, the response
    says so.
    """
    client = ui.context.client
    if not _Why(frame).answers(client) or not is_busy():
        return None
    response = client.build_response(client.request, HTTPStatus.SERVICE_UNAVAILABLE)
    response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


class _Why:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        query = frame.query
        self._topic, self._at = query.get("topic", ""), query.get("at", "")
        self._store, self._key, self._window = query.get("store", ""), query.get("key", ""), query.get("window")
        frame.heading(
            "Why",
            "Of which input records a result was made, and what became of an input record. The flow is replayed in memory;"
            " nothing is written.",
        )
        self._form()
        self._working = box("div", "card working")
        with self._working:
            self._status = text("p", "Replaying the records of the flow …", role="status")
            self._progress = text("p", "", "muted")
            text("button", "Stop", "button", type="button").on("click", self._stop)
        self._working.set_visibility(False)
        self._problem = notice("", "bad", role="alert")
        self._problem.set_visibility(False)
        self._ask: _Question | None = None
        self._answering: asyncio.Task[None] | None = None
        self._holder = box("div", "section")

    def _form(self) -> None:
        results = self._frame.flow.results
        topics = list(dict.fromkeys((*results.written, *results.read)))
        with box("form", "card fields", method="get", role="search", aria_label="Choose a record"):
            if "flow" in self._frame.query:
                box("input", type="hidden", name="flow", value=self._frame.query["flow"])
            with box("div"):
                text("label", "Topic", for_="topic")
                with box("select", id="topic", name="topic"):
                    for topic in topics:
                        text("option", topic, value=topic, selected=True if topic == self._topic else None)
            with box("div"):
                text("label", "Partition:offset", for_="at")
                field("at", self._at, "text", placeholder="0:7", required=True)
            text("button", "Explain", "button primary", type="submit")

    def answers(self, client: Client) -> bool:
        """Answer what the address asks while a browser shows the view; return whether it asks anything."""
        try:
            self._ask = self._question()
        except (QueryError, ValueError) as error:
            self._fail(str(error))
        if self._ask is None:
            return False
        self._working.set_visibility(True)
        client.on_connect(self._begin)
        client.on_disconnect(lambda: self._leave(client))
        client.on_delete(lambda: self._leave(client))
        return True

    def _begin(self) -> None:
        if self._ask is not None and self._answering is None:
            answer = partial(self._answer, self._ask)
            self._answering = background_tasks.create(self._frame.attempt(answer), name="answer")

    def _leave(self, client: Client) -> None:
        if self._answering is not None and not client.has_socket_connection:
            self._answering.cancel()
            self._answering = None

    def _stop(self) -> None:
        if self._answering is not None:
            self._answering.cancel()
        self._fail("The replay was stopped. Choose Explain to begin again.")

    def _fail(self, problem: str) -> None:
        self._ask = None
        self._working.set_visibility(False)
        self._problem.set_text(problem)
        self._problem.set_visibility(True)

    async def _answer(self, ask: _Question) -> None:
        """Replay the flow and show the answer."""
        lineage = self._frame.flow.lineage
        effort = lineage.effort()
        working = asyncio.ensure_future(in_turn(effort, partial(ask, lineage.within(effort))))
        try:
            while not (await asyncio.wait({working}, timeout=_PROGRESS_S))[0]:
                set_text(self._progress, _progress(effort))
            found = working.result()
        except (UnknownSubjectError, QueryError, ValueError, BusyError, ReplayStoppedError) as error:
            self._fail(str(error))
            return
        finally:
            working.cancel()
        self._ask = None
        self._working.set_visibility(False)
        with self._holder:
            self._explanation(found) if isinstance(found, Explanation) else self._fate(found)

    def _question(self) -> _Question | None:
        flow = self._frame.flow
        if self._store:
            key = self._frame.served.keys_of(flow.queries.store(self._store)).key(self._key)
            start = None if self._window is None else int(self._window)
            return lambda lineage: lineage.explain_entry(self._store, key, start)
        if not self._at:
            return None
        position = Position(self._topic, *_position(self._at))
        if self._topic in flow.results.written:
            return lambda lineage: lineage.explain_output(position)
        return lambda lineage: lineage.explain_missing(position)

    def _explanation(self, found: Explanation) -> None:
        self._subject(found.subject)
        inputs = len(found.inputs)
        alone = "Replayed alone, it gives" if inputs == 1 else "Replayed alone, they give"
        if found.found and found.verified:
            notice(f"Made of {formats.counted(inputs, 'input record')}. {alone} the same result.", "good")
        elif found.found:
            notice(
                f"Made of {formats.counted(inputs, 'input record')}. Replaying them alone has not given the same result.", "warn"
            )
        else:
            notice("No replay has given exactly this result.", "warn")
        self._notes(found.notes)
        with box("section", "section", aria_labelledby="inputs"):
            with box("div", "section-head"):
                text("h2", "Input records", id="inputs")
                shown = f" The first {_INPUTS} are shown." if inputs > _INPUTS else ""
                text("p", f"{formats.counted(found.replayed, 'record')} replayed to find them.{shown}", "muted")
            columns = [
                Column("Record"),
                Column("Time (UTC)", tight=True),
                KEY,
                Column("Value", wide=True),
                Column("Part of the result"),
            ]
            with box("div", "card table-card"):
                table = Table("The input records of the result", columns, "There are none.")
                table.show([self._input_row(record) for record in found.inputs[:_INPUTS]])
        self._changes(change for record in found.inputs[:_INPUTS] for change in record.changes)

    def _fate(self, found: Fate) -> None:
        self._record(found.record)
        results = formats.counted(found.total, "result")
        notice(
            f"The record is part of {results}." if found.total else "The record is part of no result.",
            "info" if found.total else "warn",
        )
        self._notes(found.notes)
        if found.steps:
            with box("section", "section", aria_labelledby="steps"):
                text("h2", "What happened to it", id="steps")
                with box("div", "card table-card"):
                    columns = [Column("Step"), Column("What"), Column("Reason", wide=True)]
                    table = Table("The steps of the record", columns, "")
                    table.show([[step.node, Cell(step.kind), step.text] for step in found.steps])
        if found.results:
            with box("section", "section", aria_labelledby="results"):
                text("h2", "Results", id="results")
                with box("div", "card table-card"):
                    columns = [Column("Record"), Column("Time (UTC)", tight=True), KEY, Column("Value", wide=True)]
                    table = Table("The results of the record", columns, "")
                    table.show([self._result_row(result) for result in found.results])
        self._changes(change for step in found.steps for change in step.changes)

    def _notes(self, notes: Iterable[str]) -> None:
        for note in notes:
            text("p", note, "muted")

    def _subject(self, subject: ResultRecord | StoreEntry) -> None:
        if isinstance(subject, StoreEntry):
            window = [] if subject.window is None else [("Window", formats.window(subject.window))]
            _details(
                [("Store", subject.store), ("Key", self._shown(subject.key)), *window, ("Value", self._fully(subject.value))]
            )
            return
        position = "" if subject.position is None else f" {subject.position.partition}:{subject.position.offset}"
        _details(
            [
                ("Result", f"{subject.topic}{position}"),
                ("Time", f"{formats.time(subject.timestamp)} UTC"),
                ("Key", self._shown(subject.key, subject.topic)),
                ("Value", self._fully(subject.value, subject.topic)),
            ]
        )

    def _record(self, record: InputRecord) -> None:
        _details(
            [
                ("Record", f"{record.position.topic} {record.position.partition}:{record.position.offset}"),
                ("Time", f"{formats.time(record.timestamp)} UTC"),
                ("Key", self._shown(record.key, record.position.topic)),
                ("Value", self._fully(record.value, record.position.topic)),
            ]
        )

    def _input_row(self, record: InputRecord) -> list[Cell | str]:
        part = "trigger" if record.role == "trigger" else "neutral" if record.neutral else "data"
        tone = "muted" if part == "neutral" else ""
        note = (
            "the result is the same without it" if record.neutral else "the result came when it came" if part == "trigger" else ""
        )
        return [*self._cells(record.position, record.timestamp, record.key, record.value), Cell(part, tone=tone, note=note)]

    def _result_row(self, result: ResultRecord) -> list[Cell | str]:
        return self._cells(result.position, result.timestamp, result.key, result.value, result.topic)

    def _cells(self, position: Position | None, timestamp: int, key: object, value: object, topic: str = "") -> list[Cell | str]:
        where = Cell(topic or formats.MISSING)
        if position is not None:
            topic = position.topic
            at = f"{position.partition}:{position.offset}"
            where = Cell(f"{position.topic} {at}", href=self._frame.href("why", topic=position.topic, at=at))
        return [
            where,
            formats.time(timestamp),
            formats.shortened(self._shown(key, topic), 60),
            Cell(formats.shortened(self._shown(value, topic))),
        ]

    def _shown(self, content: object, topic: str = "") -> str:
        """Return a key or a value of a topic, or else of state."""
        return formats.shown(content, self._frame.flow.names_of(topic))

    def _fully(self, content: object, topic: str = "") -> str:
        """Return a value as it is shown alone: with each field on a line of its own."""
        names = self._frame.flow.names_of(topic)
        return (
            formats.indented(content, names) if isinstance(formats.plain(content, names), dict | list) else self._shown(content)
        )

    def _changes(self, changes: Iterable[StateChange]) -> None:
        shown = [change for change in changes if not change.internal]
        if not shown:
            return
        with box("section", "section", aria_labelledby="changes"):
            text("h2", _STATE, id="changes")
            columns = [Column("Store"), KEY, Column("Before", wide=True), Column("After", wide=True)]
            with box("div", "card table-card"):
                Table(_STATE, columns, "").show(
                    [
                        [
                            change.store,
                            Cell(self._shown(change.key), note="" if change.window is None else formats.window(change.window)),
                            Cell(formats.shortened(self._shown(change.before))),
                            Cell(formats.shortened(self._shown(change.after))),
                        ]
                        for change in shown
                    ]
                )


def _progress(effort: Effort) -> str:
    if not effort.is_begun:
        return "Waiting for the answers to other questions."
    return f"{formats.counted(effort.replayed, 'record')} replayed."


def _position(text_: str) -> LetterPosition:
    try:
        return parse_letter_position(text_)
    except ValueError:
        raise ValueError(f"invalid position '{text_}'; write it as PARTITION:OFFSET, for example 0:7") from None


def _details(rows: Iterable[tuple[str, str]]) -> None:
    with box("div", "card"), box("dl", "details"):
        for name, value in rows:
            text("dt", name)
            shown = formats.shortened(value, 2_000)
            with box("dd"):
                text("pre", shown, "data", tabindex="0") if "\n" in shown else text("span", shown)
