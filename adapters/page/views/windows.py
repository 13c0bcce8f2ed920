"""The open windows: why they have not closed yet, and what would close them."""

import time
from collections.abc import Iterator, Sequence
from functools import partial

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, notice, set_text, text
from eddyline.adapters.page.parts.tables import Cell, Column, Table
from eddyline.adapters.page.progress import WAITING
from eddyline.adapters.page.served import ServedFlow
from eddyline.application.monitoring.window_closing import OpenWindow, SourceStatus, StoreWindows, TaskWindows
from eddyline.application.queries.answers import QueryError
from eddyline.application.topology import Window
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import Names

_INTERVAL_S = 2.0
_WINDOWS = 20
_NAMED = 3
_SECOND_MS = 1_000


def has_windows(flow: ServedFlow) -> bool:
    """Return whether a flow has stores with windows or sessions."""
    return any(spec.kind in {StoreKind.WINDOW, StoreKind.SESSION} for spec in flow.topology.store_specs)


async def show(frame: Frame) -> None:
    """Build the view."""
    await frame.every(_INTERVAL_S, _WindowsView(frame).refresh)


class _WindowsView:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._stores: dict[str, _StoreSection] = {}
        frame.heading("Windows", "Which windows are still open, why they have not closed yet, and what would close them.")
        self._empty = notice(
            "No store with windows has a changelog yet." if has_windows(frame.flow) else "The flow has no store with windows."
        )
        self._holder = box("div", "section")

    async def refresh(self) -> None:
        windows = self._frame.flow.windows
        names = await in_thread(windows.stores)
        self._empty.set_visibility(not names)
        for name in names:
            if name not in self._stores:
                with self._holder:
                    self._stores[name] = _StoreSection(name, self._frame.flow.names_of(""))
            try:
                found = await in_thread(partial(windows.why_open, name, limit=_WINDOWS))
            except QueryError:
                continue  # the changelog was deleted in this moment
            self._stores[name].show(found)


class _StoreSection:
    """The tasks of one store."""

    def __init__(self, store: str, names: Names) -> None:
        self._store, self._names = store, names
        self._tasks: dict[int, _TaskCard] = {}
        with box("section", "section", aria_labelledby=f"store-{store}"):
            with box("div", "section-head"):
                text("h2", store, id=f"store-{store}")
                self._count = text("p", "", "muted")
            self._holder = box("div", "section")

    def show(self, found: StoreWindows) -> None:
        more = "" if found.complete else ", of the first entries of the store"
        wait = (
            f"A window closes {formats.duration(found.wait_ms)} of stream time after its end"
            if found.wait_ms
            else "A window closes at its end"
        )
        set_text(self._count, f"{formats.counted(found.open, 'open window')}{more}. {wait}.")
        for task in found.tasks:
            if task.partition not in self._tasks:
                with self._holder:
                    self._tasks[task.partition] = _TaskCard(self._store, task.partition, self._names)
            self._tasks[task.partition].show(task)


class _TaskCard:
    """One task: the reason in words, its open windows and its source partitions."""

    def __init__(self, store: str, partition: int, names: Names) -> None:
        self._names = names
        name = f"{store}-{partition}"
        with box("article", "card section", aria_labelledby=f"task-{name}"):
            with box("div", "title-row"):
                text("h3", f"Partition {partition}", id=f"task-{name}")
                self._badge = text("span", "", "badge")
            self._reason = text("p", "")
            self._details = box("details")
            with self._details:
                self._summary = text("summary", "Open windows")
                columns = [
                    Column("Window (UTC)"),
                    Column("Key"),
                    Column("Closes at stream time"),
                    Column("Still missing", numeric=True),
                ]
                self._windows = Table(f"Open windows of partition {partition} of {store}", columns, "No window is open.")
            with box("details"):
                text("summary", "Input partitions")
                columns = [
                    Column("Partition"),
                    Column("Next offset", numeric=True),
                    Column("End", numeric=True),
                    Column("Lag", numeric=True),
                    Column("Last record (UTC)"),
                    Column("State"),
                ]
                self._sources = Table(f"Input of partition {partition} of {store}", columns, "The task reads no partition.")

    def show(self, task: TaskWindows) -> None:
        state, tone = _state_of(task)
        set_text(self._badge, state)
        self._badge.classes(replace=f"badge {tone}")
        set_text(self._reason, " ".join(reasons(task, int(time.time() * _SECOND_MS))))
        more = f", the first {len(task.windows)} shown" if task.open > len(task.windows) else ""
        set_text(self._summary, f"{formats.counted(task.open, 'open window')}{more}")
        self._details.set_visibility(bool(task.windows))
        self._windows.show([_window_row(window, task.stream_time, self._names) for window in task.windows])
        self._sources.show([_source_row(source, direct=source in task.direct) for source in task.sources])


def reasons(task: TaskWindows, now_ms: int) -> Iterator[str]:
    """Yield why the windows of a task are open, and what would close the first of them, in sentences."""
    if task.stream_time is None:
        yield "No record has been processed, so there is no stream time yet."
        return
    if not task.windows:
        yield f"No window is open. Stream time is {formats.time(task.stream_time)} UTC."
        return
    first = task.windows[0]
    end, closes = (formats.near(at, task.stream_time) for at in (first.end, first.closes_at))
    missing = formats.duration(max(0, first.closes_at - task.stream_time))
    yield f"Stream time is {formats.time(task.stream_time)} UTC."
    yield f"The next window to close ends at {end} and closes when stream time reaches {closes}: {missing} are missing."
    if task.behind:
        yield _behind(task.behind)
        return
    idle = [source for source in task.idle if source.idle_since is not None]
    if idle:
        ago = formats.duration(max(0, now_ms - (idle[-1].idle_since or now_ms)))
        yield f"All records have been processed, and the last one came {ago} ago."
    else:
        yield "All records have been processed."
    if first.idle_closes_at is not None:
        yield f"Without a further record, the idle timeout closes it at {formats.time(first.idle_closes_at)} UTC."
    if task.direct:
        yield f"A record with a timestamp of {closes} or later in {_named(task.direct)} closes it."
    elif task.upstream:
        yield (
            f"A record with a timestamp of {closes} or later in {_named(task.upstream)} closes it, if its key"
            " belongs to this partition of the store."
        )


def _behind(sources: Sequence[SourceStatus]) -> str:
    slowest, others = sources[0], len(sources) - 1
    cause = f"Partition {slowest.topic}-{slowest.partition} has {formats.counted(slowest.lag, 'record')} to process"
    if others:
        cause += f", and {formats.counted(others, 'other has', 'others have')} some too"
        return f"{cause}; processing them may close it."
    return f"{cause}; processing {'it may close the window' if slowest.lag == 1 else 'them may close it'}."


def _named(sources: Sequence[SourceStatus]) -> str:
    found = [f"{source.topic}-{source.partition}" for source in sources]
    return ", ".join(found[:_NAMED]) + (f" or {len(found) - _NAMED} more" if len(found) > _NAMED else "")


def _state_of(task: TaskWindows) -> tuple[str, str]:
    if not task.open:
        return "no open window", "good"
    return (WAITING, "") if task.behind else ("waiting for records", "")


def _window_row(window: OpenWindow, stream_time: int | None, names: Names) -> list[Cell | str]:
    more = f" and {window.keys - 1:,} more" if window.keys > 1 else ""
    missing = None if stream_time is None else max(0, window.closes_at - stream_time)
    return [
        formats.window(Window(window.start, window.end)),
        f"{formats.shortened(formats.shown(window.key, names), 40)}{more}",
        formats.time(window.closes_at),
        formats.duration(missing),
    ]


def _source_row(source: SourceStatus, *, direct: bool) -> list[Cell | str]:
    if source.lag:
        state = Cell(WAITING)
    elif source.idle_since is not None:
        state = Cell(f"idle since {formats.clock(source.idle_since)}", tone="muted")
    else:
        state = Cell("up to date", tone="good")
    return [
        Cell(f"{source.topic}-{source.partition}", note="" if direct else "through a repartition topic"),
        formats.number(source.offset),
        formats.number(source.end),
        formats.number(source.lag),
        formats.time(source.last_timestamp),
        state,
    ]
