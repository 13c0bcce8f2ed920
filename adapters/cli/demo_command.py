"""`eddyline demo`: the whole way once, from simulated trades to a table of their statistics."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer
from rich.table import Table

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.options import requested
from eddyline.adapters.cli.playing import play_trades
from eddyline.adapters.cli.running import run_flow
from eddyline.adapters.cli.screen import stderr, stdout
from eddyline.adapters.cli.simulate_command import show
from eddyline.adapters.container import Container
from eddyline.adapters.market.daily_prices import daily_prices
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.application.topology import Windowed
from eddyline.domain.trading import TradeSummary, common_days

DEFAULT_FOLDER = Path("data/demo")
"""Made anew by each demonstration."""
_FLOW, _RESULTS = "stock-stats", "stock-stats"
_BATCH_RECORDS = 110_000
_WINDOWS_A_TICKER = 3


class _Result(NamedTuple):
    key: Windowed[str]
    summary: TradeSummary


def demo(
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", metavar="DIR", help=f"A new folder for all of it; {DEFAULT_FOLDER}, made anew.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, help="How many trading days to play.")] = 3,
    trades_per_day: Annotated[int, typer.Option(min=4, help="How many trades each of the five companies makes a day.")] = 14_000,
    engine: Annotated[Literal["spark", "memory"], typer.Option(help="What runs the flow.")] = "spark",
) -> None:
    """Play trades of several days, run stock statistics over them and show the latest windows."""
    folder = _fresh(data_dir)
    request = requested(_FLOW, engine=engine, data_dir=folder, trigger_interval_ms=0, max_batch_records=_BATCH_RECORDS)
    container = Container(settings=request.settings)
    show(play_trades(container, Simulation(trades_per_day=trades_per_day), common_days(daily_prices(), days=days)))
    run_flow(request, available_now=True)
    stdout().print(_table(_latest(container)))
    stderr().print(
        f"\ntrades, results: {container.topics_dir()}/trades, {container.topics_dir()}/{_RESULTS} (JSON lines)", soft_wrap=True
    )
    stderr().print(f"state: {request.settings.state_dir}", soft_wrap=True)


def _fresh(data_dir: Path | None) -> Path:
    if data_dir is None:
        shutil.rmtree(DEFAULT_FOLDER, ignore_errors=True)
        return DEFAULT_FOLDER
    if data_dir.exists() and any(data_dir.iterdir()):
        raise UsageError(f"--data-dir '{data_dir}' is not empty; name a new folder")
    return data_dir


def _latest(container: Container) -> list[_Result]:
    """The last update of each of the latest windows, by ticker and window."""
    held: dict[str, dict[Windowed[str], _Result]] = {}
    for result in _results(container):
        of_ticker = held.setdefault(result.key.key, {})
        of_ticker[result.key] = result
        if len(of_ticker) > _WINDOWS_A_TICKER:
            del of_ticker[min(of_ticker)]
    return [result for _, of_ticker in sorted(held.items()) for _, result in sorted(of_ticker.items())]


def _results(container: Container) -> Iterator[_Result]:
    log, codecs = container.log(), container.codecs()
    decode_key = codecs.for_key(_RESULTS, Windowed[str]).decode
    decode_value = codecs.for_value(_RESULTS, TradeSummary).decode
    for number in range(log.partitions(_RESULTS)):
        for batch in log.read(_RESULTS, number, 0, log.end_offset(_RESULTS, number)):
            for record in batch:
                yield _Result(decode_key(record.key), decode_value(record.value))


def _table(results: list[_Result]) -> Table:
    table = Table(title="latest windows", title_justify="left", box=None, pad_edge=False)
    for name in ("ticker", "from (UTC)", "to (UTC)"):
        table.add_column(name)
    for name in ("trades", "lowest price", "average price"):
        table.add_column(name, justify="right")
    for (ticker, window), summary in results:
        prices = (f"{summary.min_price:,.2f}", f"{summary.avg_price:,.2f}")
        table.add_row(ticker, _time(window.start), _time(window.end), str(summary.count_trades), *prices)
    return table


def _time(timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
