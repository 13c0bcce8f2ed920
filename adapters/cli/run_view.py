"""A run and its stores as a picture for the terminal, from the answers of its server."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from eddyline.adapters.cli.run_log import late_windows
from eddyline.adapters.cli.screen import counted
from eddyline.adapters.cli.times import utc_time

_BARS: Final = "▁▂▃▄▅▆▇█"
_SHOWN_BATCHES: Final = 30
_STYLES: Final = {
    "running": "green",
    "restarting": "red",
    "pending-shutdown": "yellow",
    "not-running": "yellow",
    "error": "red",
    "created": "yellow",
}
_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")
_KIB: Final = 1_024
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400

Answer = Mapping[str, Any]


def flows_of(run: Answer | None) -> Sequence[Answer]:
    """Return the status of each flow in the answer of `/status`, None for a server without a run."""
    if run is None:
        return []
    flows: Sequence[Answer] = run.get("flows", [run])
    return flows


def run_view(run: Answer, stores: Sequence[Answer], previous: Answer | None = None) -> RenderableType:
    """Return the picture of a run.

    Args:
        run: The answer of `/status`.
        stores: The stores in the answer of `/stores`.
        previous: An earlier answer of `/status`, for the rates of operators.
    """
    parts: list[RenderableType] = [
        _head(run),
        _numbers(run),
        _problems(run),
        _partitions(run),
        _nodes(run, previous),
        _metrics(run),
    ]
    if stores:
        parts.append(stores_view(stores))
    return Group(*_apart(parts))


def run_summary(run: Answer) -> RenderableType:
    """Return the head of the picture of a run: its state, throughput, lag, last batch and problems."""
    return Group(*(part for part in (_head(run), _numbers(run), _problems(run)) if not isinstance(part, Text) or part.plain))


def stores_view(stores: Sequence[Answer]) -> Table:
    """Return the stores as a table."""
    table = _table(["store", "kind", "key", "value"], ["entries", "size", "batch", "lag", "records/s"], ["stream time", "state"])
    for store in stores:
        fresh = store["freshness"]
        table.add_row(
            *(store[name] for name in ("name", "kind", "keyType", "valueType")),
            f"{store['entries']:,}",
            size(store["sizeBytes"]),
            _known(fresh["batch"], str),
            f"{fresh['lag']:,}",
            _known(store.get("recordsPerSecond"), _rate),
            _known(fresh["streamTime"], utc_time),
            "restoring" if fresh["restoring"] else "ready",
        )
    return table


def size(number: float) -> str:
    """Return a number of bytes in the unit that fits it."""
    unit = 0
    while number >= _KIB and unit < len(_UNITS) - 1:
        number, unit = number / _KIB, unit + 1
    return f"{number:,.0f} {_UNITS[unit]}" if unit == 0 else f"{number:,.1f} {_UNITS[unit]}"


def duration(milliseconds: float) -> str:
    """Return a duration with its two greatest units."""
    seconds = max(0, round(milliseconds / 1_000))
    if seconds < _MINUTE_S:
        return f"{seconds} s"
    if seconds < _HOUR_S:
        return f"{seconds // _MINUTE_S} min {seconds % _MINUTE_S} s"
    if seconds < _DAY_S:
        return f"{seconds // _HOUR_S} h {seconds % _HOUR_S // _MINUTE_S} min"
    return f"{seconds // _DAY_S:,} d {seconds % _DAY_S // _HOUR_S} h"


def sparkline(values: Iterable[float]) -> str:
    """Return a line of bars, the highest for the greatest value."""
    found = list(values)
    top = max(found, default=0)
    return "".join(_BARS[round(value / top * (len(_BARS) - 1))] if top else _BARS[0] for value in found)


def _head(run: Answer) -> Text:
    text = Text.assemble((run["flow"], "bold"), "  ", (run["state"], _STYLES.get(run["state"], "")), "  ")
    text.append(f"{run['engine']}, application {run['applicationId']}, up {duration(run['time'] - run['started'])}")
    if run["problem"]:
        text.append(f"\n{run['problem']}", "red")
    return text


def _numbers(run: Answer) -> Table:
    history = run["history"][-_SHOWN_BATCHES:]
    last = history[-1] if history else None
    table = Table.grid(Column(), Column(justify="right"), Column(), Column(), padding=(0, 2, 0, 0))
    written = _rate(run["writtenPerSecond"])
    table.add_row("records/s", _rate(run["recordsPerSecond"]), sparkline(b["records"] for b in history), f"{written} written")
    advanced = run["streamTime"]
    behind = "" if advanced is None else f"stream time {utc_time(advanced)}, {duration(run['time'] - advanced)} ago"
    table.add_row("lag", _known(run["lag"], _whole), sparkline(b["lag"] or 0 for b in history), behind)
    batch = "" if last is None else f"batch {last['batch']}: {counted(last['records'], 'record')} in {last['seconds']:.2f} s"
    state = [_known(run["stateEntries"], lambda n: counted(n, "entry", "entries")), _known(run["stateBytes"], size)]
    table.add_row("batch", "" if last is None else f"{last['seconds']:.2f} s", sparkline(b["seconds"] for b in history), batch)
    table.add_row("state", "", "", ", ".join(filter(None, state)))
    return table


def _problems(run: Answer) -> RenderableType:
    totals = run["totals"]
    late = late_windows(totals["late"], totals["lateWindows"])
    found = [
        counted(number, *names)
        for number, *names in (
            (totals["late"], f"late record{late}", f"late records{late}"),
            (sum(totals["undecodable"].values()), "undecodable record"),
            (sum(totals["handledExceptions"].values()), "handled exception"),
            (totals["deadLetters"], "dead letter"),
            (sum(skipped["offsets"] for skipped in totals["skipped"]), "skipped offset"),
            (sum(totals["transactions"].get(cause, 0) for cause in ("fenced", "retried")), "failed write", "failed writes"),
        )
        if number
    ]
    return Text(", ".join(found), "yellow")


def _partitions(run: Answer) -> RenderableType:
    table = _table(["source topic"], ["partition", "offset", "end", "lag"], ["advanced"])
    for found in run["partitions"]:
        advanced = found["lastAdvanced"]
        table.add_row(
            found["topic"],
            str(found["partition"]),
            _whole(found["offset"]),
            _known(found["end"], _whole),
            _known(found["lag"], _whole),
            "not since the start" if advanced is None else f"{duration(run['time'] - advanced)} ago",
        )
    return table if run["partitions"] else Text("no batch yet")


def _nodes(run: Answer, previous: Answer | None) -> RenderableType:
    before = {} if previous is None else {node["name"]: node["processed"] for node in previous["nodes"]}
    seconds = 0.0 if previous is None else (run["time"] - previous["time"]) / 1_000
    table = _table(["operator", "kind"], ["records", *(["records/s"] if before else [])], ["dropped"])
    for node in run["nodes"]:
        processed, earlier = node["processed"], before.get(node["name"])
        known = processed is not None and earlier is not None and seconds > 0
        rate = [_rate((processed - earlier) / seconds) if known else ""] if before else []
        dropped = ", ".join(f"{number:,} {reason}" for reason, number in sorted(node["dropped"].items()))
        table.add_row(node["name"], node["kind"], _known(processed, _whole), *rate, dropped)
    return table


def _metrics(run: Answer) -> RenderableType:
    table = _table(["metric", "processor"], ["task", "value", "number", "max"], ["kind"])
    for found in run["metrics"]:
        numbers = f"{found['value']:,g}", _whole(found["number"]), _known(found["most"], "{:,g}".format)
        table.add_row(found["name"], found["node"], found["task"], *numbers, found["kind"])
    return table if run["metrics"] else Text()


def _table(left: Sequence[str], right: Sequence[str], end: Sequence[str]) -> Table:
    columns = [
        *(Column(name, overflow="ellipsis", no_wrap=True) for name in left),
        *(Column(name, justify="right", no_wrap=True) for name in right),
        *(Column(name, overflow="ellipsis", no_wrap=True) for name in end),
    ]
    return Table(*columns, box=None, pad_edge=False)


def _apart(parts: Sequence[RenderableType]) -> list[RenderableType]:
    """Return the parts that are not empty, with an empty line between them."""
    shown = [part for part in parts if not isinstance(part, Text) or part.plain]
    return [line for part in shown for line in (part, Text())][:-1]


def _known(value: Any, form: Callable[[Any], str]) -> str:
    return "" if value is None else form(value)


def _whole(number: int) -> str:
    return f"{number:,}"


def _rate(number: float) -> str:
    return f"{number:,.1f}" if number < 10 else f"{number:,.0f}"  # noqa: PLR2004 - a digit after the point below ten
