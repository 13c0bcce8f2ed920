"""`eddyline demo`."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer
from rich.table import Table

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.requests import requested
from eddyline.adapters.cli.running import run_flow
from eddyline.adapters.cli.screen import message, stdout
from eddyline.adapters.cli.simulation import trading_days, write_trades
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.application.topology import Windowed
from eddyline.domain.trading import TradeSummary

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

DEFAULT_FOLDER = Path("data/demo")
"""Deleted at the start of each demonstration."""
_FLOW, _RESULTS = "stock-stats", "stock-stats"
_BATCH_RECORDS = 110_000
_WINDOWS_PER_TICKER = 3


class _Result(NamedTuple):
    key: Windowed[str]
    summary: TradeSummary


def demo(
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
    engine: Annotated[Literal["spark", "memory"], typer.Option(help="Run the flow on this engine.")] = "spark",
) -> None:
    """Run the sample flow stock-stats over simulated trades.

    Writes trades of five companies to a topic, runs the flow to the end of the topic, and prints the statistics of the latest
    windows.
    """
    folder = _empty_folder(data_dir)
    request = requested(_FLOW, engine=engine, data_dir=folder, trigger_interval_ms=0, max_batch_records=_BATCH_RECORDS)
    container = container_for(request.settings)
    write_trades(container, Simulation(trades_per_day=trades_per_day), trading_days(container, days=days))
    run_flow(request, available_now=True)
    stdout().print(_table(_latest(container)))
    topics = container.topics_dir()
    message(
        f"\ntrades: {topics}/trades (JSON lines)\nresults: {topics}/{_RESULTS} (JSON lines)\nstate: {request.settings.state_dir}"
    )


def _empty_folder(data_dir: Path | None) -> Path:
    if data_dir is None:
        shutil.rmtree(DEFAULT_FOLDER, ignore_errors=True)
        return DEFAULT_FOLDER
    if data_dir.exists() and any(data_dir.iterdir()):
        raise UsageError(f"directory '{data_dir}' is not empty; give an empty or a new one with --data-dir")
    return data_dir


def _latest(container: "Container") -> list[_Result]:
    """Return the last update of the latest windows, sorted by ticker and window."""
    by_ticker: dict[str, dict[Windowed[str], _Result]] = {}
    for result in _results(container):
        windows = by_ticker.setdefault(result.key.key, {})
        windows[result.key] = result
        if len(windows) > _WINDOWS_PER_TICKER:
            del windows[min(windows)]
    return [result for _, windows in sorted(by_ticker.items()) for _, result in sorted(windows.items())]


def _results(container: "Container") -> Iterator[_Result]:
    log, codecs = container.log(), container.codecs()
    decode_key = codecs.for_key(_RESULTS, Windowed[str]).decode
    decode_value = codecs.for_value(_RESULTS, TradeSummary).decode
    for number in range(log.partitions(_RESULTS)):
        for batch in log.read(_RESULTS, number, 0, log.end_offset(_RESULTS, number)):
            for record in batch:
                yield _Result(decode_key(record.key), decode_value(record.value))


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
