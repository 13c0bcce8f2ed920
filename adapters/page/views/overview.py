"""The overview: throughput, lag, stream time and state over time."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.charts import LineChart
from eddyline.adapters.page.parts.elements import box, notice, set_text, text
from eddyline.adapters.page.parts.tables import Cell, Column, Table
from eddyline.adapters.page.progress import FlowProgress, ProgressPoint, Waiting, of_run, of_samples
from eddyline.adapters.page.served import ServedFlow
from eddyline.application.monitoring.run_status import Totals

_INTERVAL_S = 1.0
_DAY_MS = 86_400_000
_IDLE_MS = 10_000
_SECOND_MS = 1_000


async def show(frame: Frame) -> None:
    """Build the view."""
    await frame.every(_INTERVAL_S, _Overview(frame.flow, frame).refresh)


class _Stat:
    """A number with its name and a note."""

    def __init__(self, name: str) -> None:
        with box("div", "card stat"):
            text("dt", name)
            self._value = text("dd", formats.MISSING)
            self._note = text("dd", "", "note")

    def show(self, value: str, note: str = "") -> None:
        set_text(self._value, value)
        set_text(self._note, note)


class _Overview:
    def __init__(self, flow: ServedFlow, frame: Frame) -> None:
        self._flow = flow
        self._waiting = Waiting()
        self._runs_here = flow.monitor is not None
        with frame.heading(flow.flow.name, flow.flow.summary):
            self._badge = text("span", "waiting for state", "badge warn", role="status")
        self._failure = notice("", "bad", role="alert")
        self._failure.set_visibility(False)
        with box("dl", "cards"):
            names = ["Throughput", "Lag", "Stream time", "Last batch", "State"]
            names += ["Dropped", "Dead letters"] if self._runs_here else []
            self._stats = {name: _Stat(name) for name in names}
        with box("section", "section", aria_labelledby="over-time"):
            text("h2", "The last minutes", id="over-time")
            with box("div", "charts"):
                self._throughput = LineChart("Throughput", "records per second", from_zero=True, describe=_whole)
                self._lag = LineChart("Lag", "records", from_zero=True, describe=_whole)
                self._stream_time = LineChart(
                    "Stream time against wall-clock time", "UTC", times=True, reference="wall-clock time", describe=_time
                )
                self._seconds = LineChart("Duration of batches", "seconds") if self._runs_here else None
                self._state = LineChart("State", "entries", from_zero=True, describe=_whole)
        with box("section", "section", aria_labelledby="partitions"):
            text("h2", "Partitions of the input", id="partitions")
            with box("div", "card table-card"):
                columns = [Column("Topic"), Column("Partition", numeric=True), Column("Next offset", numeric=True)]
                if self._runs_here:
                    columns += [Column("End", numeric=True), Column("Lag", numeric=True), Column("Last advanced")]
                self._partitions = Table("The position in each partition", columns, "Nothing has been processed yet.")
        if not self._runs_here:
            notice(
                "This server reads the changelogs of the stores. Durations of batches, drops and the rates of steps are known"
                f" only to the process that runs the flow; 'eddyline run {flow.flow.name} --serve' shows them."
            )

    async def refresh(self) -> None:
        progress = await in_thread(partial(progress_of, self._flow))
        if progress is None:
            return
        set_text(self._badge, progress.state)
        self._badge.classes(replace=f"badge {progress.tone}")
        lead = {"restarting": "The run is ", "failed": "The run has failed: "}.get(progress.state, "The run goes on, but ")
        set_text(self._failure, f"{lead}{progress.failure}")
        self._failure.set_visibility(progress.failure is not None)
        self._show_stats(progress)
        self._show_charts(progress.points)
        self._partitions.show(list(self._rows(progress)))

    def _show_stats(self, progress: FlowProgress) -> None:
        now, here = progress.now, int(time.time() * _SECOND_MS)
        over = "over 30 s" if self._runs_here else "over 5 s"
        self._stats["Throughput"].show(formats.rate(now.throughput), f"records, {over}")
        self._stats["Lag"].show(formats.number(now.lag), "all records processed" if now.lag == 0 else "records to process")
        self._stats["Stream time"].show(formats.clock(now.stream_time), _date_and_delay(now.stream_time, here))
        took = "" if now.batch_seconds is None else f"took {formats.duration(now.batch_seconds * _SECOND_MS)}, "
        ago = "" if progress.batch_time is None else f"{took}{formats.duration(max(0, here - progress.batch_time))} ago"
        self._stats["Last batch"].show(formats.number(progress.batch), ago)
        self._stats["State"].show(
            formats.number(now.entries), "entries" + ("" if now.size_bytes is None else f", {formats.size(now.size_bytes)}")
        )
        if progress.totals is not None:
            self._show_totals(progress.totals)

    def _show_totals(self, totals: Totals) -> None:
        late = f"{formats.number(totals.late)} of them late" if totals.dropped else "since the start"
        self._stats["Dropped"].show(formats.number(sum(totals.dropped.values())), late)
        self._stats["Dead letters"].show(formats.number(totals.dead_letters), "since the start")

    def _show_charts(self, points: Sequence[ProgressPoint]) -> None:
        def line(value: Callable[[ProgressPoint], float | None]) -> list[tuple[float, float | None]]:
            return [(point.time, value(point)) for point in points]

        self._throughput.show({"records/s": line(lambda point: point.throughput)})
        self._lag.show({"lag": line(lambda point: point.lag)})
        times = {"stream time": line(lambda point: point.stream_time)}
        last = points[-1] if points else None
        if last is not None and last.stream_time is not None and abs(last.time - last.stream_time) < _DAY_MS:
            times["wall-clock time"] = line(lambda point: point.time)
        self._stream_time.show(times)
        if self._seconds is not None:
            self._seconds.show({"batch": line(lambda point: point.batch_seconds)})
        self._state.show({"entries": line(lambda point: point.entries)})

    def _rows(self, progress: FlowProgress) -> list[list[Cell | str]]:
        rows = []
        for found in progress.partitions:
            row: list[Cell | str] = [Cell(found.topic), str(found.partition), formats.number(found.offset)]
            if self._runs_here:
                lag = None if found.end is None else max(0, found.end - found.offset)
                where = found.topic, found.partition
                is_behind = self._waiting.is_behind(where, found.offset, lag, progress.now.time)
                ago = None if found.advanced is None else max(0, progress.now.time - found.advanced)
                idle = Cell(f"{formats.duration(ago)} ago", tone="muted" if ago is not None and ago > _IDLE_MS else "")
                row += [formats.number(found.end), Cell(formats.number(lag), tone="warn" if is_behind else "")]
                row += ["not since the start" if ago is None else idle]
            rows.append(row)
        return rows


def progress_of(flow: ServedFlow) -> FlowProgress | None:
    """Return the progress of a flow, None if nothing is known of it yet."""
    return of_samples(flow.history.samples) if flow.monitor is None else of_run(flow.monitor.snapshot())


def _date_and_delay(stream_time: int | None, here: int) -> str:
    if stream_time is None:
        return "no record yet"
    date = formats.time(stream_time).partition(" ")[0]
    side = "behind" if here >= stream_time else "ahead of"
    delay = abs(here - stream_time)
    shown = formats.counted(delay // _DAY_MS, "day") if delay >= _DAY_MS else formats.duration(delay)
    return f"{date} UTC, {shown} {side} the wall clock"


def _time(milliseconds: float) -> str:
    return formats.time(int(milliseconds))


def _whole(value: float) -> str:
    return f"{value:,.0f}"
