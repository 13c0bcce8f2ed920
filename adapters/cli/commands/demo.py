"""`eddyline demo`."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime
from heapq import nlargest
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer
from rich.table import Table

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.price_chart import PriceRange, price_chart
from eddyline.adapters.cli.requests import requested
from eddyline.adapters.cli.running import run_flow, served_request
from eddyline.adapters.cli.screen import message, progress_bar, stdout
from eddyline.adapters.cli.serving import run_monitor, serve_flows
from eddyline.adapters.cli.simulation import trading_days, write_trades
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.samples.trading.simulator import EXCHANGE_ZONE, SESSION_START, Simulation
from eddyline.application.topology import Topology, Windowed
from eddyline.domain.trading import TradeSummary

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

DEFAULT_FOLDER = Path("data/demo")
"""Deleted at the start of each demonstration."""
_FLOW, _RESULTS, _CHARTED = "stock-stats", "stock-stats", "AAPL"
_BATCH_RECORDS = 110_000
_WINDOWS_PER_TICKER = 3


class _Result(NamedTuple):
    key: Windowed[str]
    summary: TradeSummary


@dataclass(frozen=True)
class LiveOptions(OptionGroup):
    """Options of the demonstration with input whose time is now."""

    live: Annotated[
        bool,
        typer.Option(
            "--all/--one",
            help="Run all sample flows on the engine local, with simulated input whose time is now and a page, until Ctrl+C."
            " Takes about 350 MB of memory, up to a core, and 300 MB of disk an hour.",
        ),
    ] = False
    resume: Annotated[
        bool,
        typer.Option("--continue/--from-scratch", help="With --all or flows, continue what is in the directory."),
    ] = False
    browser: Annotated[
        bool | None,
        typer.Option(help="With --all or flows, open the page in a browser.", show_default="on a terminal with a display"),
    ] = None


@option_groups
def demo(
    flows: Annotated[
        list[str] | None,
        typer.Argument(metavar="FLOW", help="Run these sample flows as --all does, and no others.", show_default=False),
    ] = None,
    *,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            "--data-dir",
            metavar="DIR",
            help="Write everything to this directory, which must be empty or missing.",
            show_default=f"{DEFAULT_FOLDER}, which is deleted first",
        ),
    ] = None,
    days: Annotated[int, typer.Option(min=1, help="Simulate this many trading days.")] = 3,
    trades_per_day: Annotated[int, typer.Option(min=4, help="Simulate this many trades per company and day.")] = 14_000,
    engine: Annotated[Literal["spark", "local", "memory"], typer.Option(help="Run the flow on this engine.")] = "spark",
    serve: Annotated[
        bool | None,
        typer.Option(help="Show the results on a page at the end, until Ctrl+C.", show_default="on a terminal"),
    ] = None,
    options: LiveOptions,
) -> None:
    """Run the sample flow stock-stats over simulated trades.

    Writes trades of five companies to a topic, runs the flow to the end of the topic, and prints the statistics of the latest
    windows and a chart of the prices of the last day. On a terminal, a page with the flow is served at the end.
    """
    if options.live and flows:
        raise UsageError(f"give either --all or flows such as '{flows[0]}', not both")
    if options.live or flows:
        from eddyline.adapters.cli.live_demonstration import run_live, sample_flows

        chosen = sample_flows(flows or ())
        folder = (data_dir or DEFAULT_FOLDER) if options.resume else _empty_folder(data_dir)
        run_live(folder, chosen, browser=_has_display() if options.browser is None else options.browser, server_port=0)
        return
    if options.resume or options.browser:
        raise UsageError(f"{'--continue' if options.resume else '--browser'} is for the live demonstration; add --all or flows")
    if serve is None:
        serve = sys.stdout.isatty() and _has_server()
    folder = _empty_folder(data_dir)
    request = requested(
        _FLOW, engine=engine, data_dir=folder, trigger_interval_ms=0, max_batch_records=_BATCH_RECORDS, server_port=0
    )
    container = container_for(request.settings)
    prices = trading_days(container, days=days)
    if engine == "spark":
        container.start_spark_in_background(request.application_id, request.spark_log)
    write_trades(container, Simulation(trades_per_day=trades_per_day), prices)
    request = served_request(request) if serve else request
    monitor = run_monitor(request) if serve else None
    with nullcontext() if monitor is None else monitor.running():
        run_flow(request, available_now=True, monitor=monitor)
    last_day = max(price.date for price in prices)
    results = _Results(container, request.topology, since=_session_start(last_day))
    stdout().print(_table(results.latest()))
    stdout().print()
    for line in results.chart(_CHARTED, f"{_CHARTED} on {last_day}: lowest and average price in windows of 5 s (time in UTC)"):
        stdout().print(line)
    topics = container.topics_dir()
    message(
        f"\ntrades: {topics}/trades (JSON lines)\nresults: {topics}/{_RESULTS} (JSON lines)\nstate: {request.settings.state_dir}"
    )
    for line in _next_steps(folder):
        message(line)
    if serve:
        message("\nopen the page in a browser; Ctrl+C stops it:")
        serve_flows([request], [monitor] if monitor else [])


def _has_display() -> bool:
    """Return whether a person can see a browser."""
    return sys.stdout.isatty() and (sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ)


def _has_server() -> bool:
    """Return whether the libraries of the extra `web` are installed."""
    return all(find_spec(name) is not None for name in ("fastapi", "nicegui", "uvicorn"))


def _empty_folder(data_dir: Path | None) -> Path:
    if data_dir is None:
        shutil.rmtree(DEFAULT_FOLDER, ignore_errors=True)
        return DEFAULT_FOLDER
    if data_dir.is_file():
        raise UsageError(f"'{data_dir}' is a file; give an empty or a new directory with --data-dir")
    if data_dir.exists() and any(data_dir.iterdir()):
        raise UsageError(f"directory '{data_dir}' is not empty; give an empty or a new one with --data-dir")
    return data_dir


class _Results:
    """The results of the last day: all are read, but only what is shown is decoded."""

    def __init__(self, container: "Container", topology: Topology, since: int) -> None:
        codecs = container.codecs().configured(topology.type_choices)
        self._decode_value = codecs.for_value(_RESULTS, TradeSummary).decode
        self._last: dict[str, dict[Windowed[str], LogRecord]] = {}
        decode_key = codecs.for_key(_RESULTS, Windowed[str]).decode
        for record in _records(container):
            if record.timestamp >= since:
                key: Windowed[str] = decode_key(record.key)
                self._last.setdefault(key.key, {})[key] = record

    def latest(self) -> list[_Result]:
        """Return the last update of the latest windows, sorted by ticker and window."""
        return [
            _Result(key, self._decode_value(records[key].value))
            for _, records in sorted(self._last.items())
            for key in nlargest(_WINDOWS_PER_TICKER, records)[::-1]
        ]

    def chart(self, ticker: str, title: str) -> list[str]:
        """Return the lines of a chart of the prices of a company, none if it has no results."""
        records = self._last.get(ticker, {})
        summaries = ((key.window.end, self._decode_value(record.value)) for key, record in records.items())
        lines = price_chart(PriceRange(end, one.min_price, one.avg_price) for end, one in summaries)
        return [title, *lines] if lines else []


def _records(container: "Container") -> Iterator[LogRecord]:
    """Yield all results, with a progress bar."""
    log = container.log()
    ends = [log.end_offset(_RESULTS, number) for number in range(log.partitions(_RESULTS))]
    with progress_bar() as bar:
        task = bar.add_task("reading results", total=sum(ends))
        for number, end in enumerate(ends):
            for batch in log.read(_RESULTS, number, 0, end):
                yield from batch
                bar.advance(task, len(batch))


def _session_start(day: date) -> int:
    return int(datetime.combine(day, SESSION_START, EXCHANGE_ZONE).timestamp() * 1000)


def _next_steps(folder: Path) -> Iterator[str]:
    """Yield what to try next; the command is put on the PATH first if it is not there."""
    yield "\ntry next:"
    if shutil.which("eddyline") is None:
        yield f"  source {Path(sys.executable).with_name('activate')}"
    yield f"  eddyline consume {_RESULTS} --data-dir {folder} --max-records 3     # print some results"
    yield f"  eddyline topology {_FLOW}     # show what the flow does"
    yield "  eddyline flows     # list all sample flows"
    yield "and write a flow of your own: docs/tutorial/first-flow.md"


def _table(results: list[_Result]) -> Table:
    table = Table(title="latest windows", title_justify="left", box=None, pad_edge=False)
    for name in ("ticker", "start (UTC)", "end (UTC)"):
        table.add_column(name)
    for name in ("trades", "lowest price", "average price"):
        table.add_column(name, justify="right")
    for (ticker, window), summary in results:
        prices = (f"{summary.min_price:,.2f}", f"{summary.avg_price:,.2f}")
        table.add_row(ticker, _time(window.start), _time(window.end), str(summary.count_trades), *prices)
    return table


def _time(timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
