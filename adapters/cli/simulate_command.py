"""`eddyline simulate`: made-up events with the shape of real ones, into a topic."""

from datetime import datetime
from typing import Annotated

import typer

from eddyline.adapters.cli.options import (
    Assignments,
    Brokers,
    Config,
    DataDir,
    LogKind,
    SchemaRegistry,
    load_settings,
    log_flags,
    parse_assignments,
)
from eddyline.adapters.cli.playing import Played, play_events, play_trades
from eddyline.adapters.cli.screen import stderr
from eddyline.adapters.cli.simulators import simulation_command, simulation_help
from eddyline.adapters.container import Container
from eddyline.adapters.market.daily_prices import TICKERS, daily_prices
from eddyline.application.samples.catalogue import SIMULATORS
from eddyline.application.samples.trading.simulator import Simulation, daily_rows
from eddyline.domain.trading import common_days

app = typer.Typer(name="simulate", help="Make up events with the shape of real ones.")


@app.callback()
def simulate() -> None:
    """Make up events with the shape of real ones."""


@app.command()
def trades(  # noqa: PLR0917 - typer reads options from parameters
    topic: Annotated[str, typer.Option(help="The topic to write to; it is made where it is missing.")] = "trades",
    days: Annotated[int, typer.Option(min=1, help="How many trading days to play.")] = 5,
    trades_per_day: Annotated[int, typer.Option(min=4, help="How many trades each company makes a day.")] = 1_000,
    tickers: Annotated[
        list[str] | None,
        typer.Option("--ticker", help=f"A company to play, any number of times; all where none is named: {', '.join(TICKERS)}."),
    ] = None,
    start: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The first day; else the first with prices of all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same trades.")] = 0,
    out_of_order: Annotated[float, typer.Option(min=0, max=0.4, help="The part that arrives out of order, within 2 s.")] = 0.0,
    late: Annotated[float, typer.Option(min=0, max=0.4, help="The part that arrives later still, within 60 s.")] = 0.0,
    rate: Annotated[
        float | None, typer.Option(min=0.001, help="Trades a second; as fast as they can be made where not given.")
    ] = None,
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    schema_registry: SchemaRegistry = None,
    data_dir: DataDir = None,
    assignments: Assignments = None,
    config: Config = None,
) -> None:
    """Play trades inside real trading days: each day's first, highest, lowest and last price are the real ones."""
    settings = load_settings(
        parse_assignments(assignments or ()), config, data_dir=data_dir, **log_flags(log, bootstrap_servers, schema_registry)
    )
    simulation = Simulation(seed=seed, trades_per_day=trades_per_day, out_of_order=out_of_order, late=late)
    prices = common_days(daily_prices(tickers or TICKERS), start=start.date() if start else None, days=days)
    show(play_trades(Container(settings=settings), simulation, prices, topic=topic, rate=rate))


@app.command(name="daily-prices")
def prices_of_days(  # noqa: PLR0917 - typer reads options from parameters
    days: Annotated[int, typer.Option(min=1, help="How many trading days.")] = 5,
    tickers: Annotated[
        list[str] | None,
        typer.Option("--ticker", help=f"A company, any number of times; all where none is named: {', '.join(TICKERS)}."),
    ] = None,
    start: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The first day; else the first with prices of all.")
    ] = None,
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    schema_registry: SchemaRegistry = None,
    data_dir: DataDir = None,
    assignments: Assignments = None,
    config: Config = None,
) -> None:
    """Write real daily prices as rows of the topic daily-prices, which the flow top-movers reads."""
    container = Container(
        settings=load_settings(
            parse_assignments(assignments or ()), config, data_dir=data_dir, **log_flags(log, bootstrap_servers, schema_registry)
        )
    )
    prices = common_days(daily_prices(tickers or TICKERS), start=start.date() if start else None, days=days)
    written = play_events(
        container, daily_rows(prices), ["daily-prices"], flow="top-movers", what="daily prices", total=len(prices)
    )
    stderr().print(f"{written:,} daily prices are in topic 'daily-prices'", soft_wrap=True)


for simulator in SIMULATORS:
    app.command(name=simulator.name, help=simulation_help(simulator))(simulation_command(simulator))


def show(played: Played) -> None:
    """Tells what was played and where it is."""
    days = f"{played.days} days ({played.first_day} to {played.last_day})"
    place = f"topic '{played.topic}', {played.partitions} partitions"
    stderr().print(f"{played.trades:,} trades of {played.companies} companies on {days} are in {place}", soft_wrap=True)
