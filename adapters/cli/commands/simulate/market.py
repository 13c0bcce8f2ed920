"""`eddyline simulate stock-stats` and `eddyline simulate top-movers`, which follow real prices."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

import typer

from eddyline.adapters.cli.commands.simulate.option_names import named_options
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import SettingSources, TopicOptions
from eddyline.adapters.cli.screen import counted, message
from eddyline.adapters.cli.simulation import LIVE_HELP, check_live, trading_days, write_events, write_trades
from eddyline.adapters.cli.times import parse_day
from eddyline.application.samples.trading.simulator import LIVE_TRADES, Simulation, daily_rows, live_rows
from eddyline.domain.trading import DailyPrice

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

Live: TypeAlias = Annotated[bool, typer.Option("--live", help=LIVE_HELP)]

TICKERS = "AAPL, FB, GOOG, IBM, MSFT"


@dataclass(frozen=True)
class DayOptions(OptionGroup):
    """Options for the selection of companies and days."""

    days: Annotated[int, typer.Option(min=1, help="Use this many trading days.")] = 5
    tickers: Annotated[
        list[str] | None,
        typer.Option(
            "--ticker", metavar="TICKER", help=f"Use this company: {TICKERS}. Can be repeated.", show_default="all companies"
        ),
    ] = None
    start: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", help="Start on this day.", show_default="the first day with prices of all companies"),
    ] = None

    def prices(self, container: "Container") -> list[DailyPrice]:
        """Return the prices of the companies on the days."""
        return trading_days(container, self.tickers, parse_day(self.start, "--start") if self.start else None, self.days)


@dataclass(frozen=True)
class TradeOptions(OptionGroup):
    """Options for the simulation of trades."""

    only_given: ClassVar[bool] = True

    trades_per_day: Annotated[int, typer.Option(min=4, help="Simulate this many trades per company and day.")] = 1_000
    seed: Annotated[int, typer.Option(help="Seed the random generator; the same seed gives the same trades.")] = 0
    out_of_order: Annotated[
        float, typer.Option(min=0, max=0.4, help="Let this fraction of the trades arrive out of order, by up to 2 s.")
    ] = 0.0
    late: Annotated[float, typer.Option(min=0, max=0.4, help="Let this fraction of the trades arrive late, by up to 60 s.")] = 0.0


@option_groups
def trades(
    *,
    topic: Annotated[str, typer.Option(metavar="TOPIC", help="Write to this topic; it is created if it is missing.")] = "trades",
    days: DayOptions,
    options: TradeOptions,
    rate: Annotated[
        float | None, typer.Option(min=0.001, help="Write this many trades per second.", show_default="as fast as possible")
    ] = None,
    live: Live = False,
    topics: TopicOptions,
    sources: SettingSources,
) -> None:
    """Simulate the trades of real trading days.

    The first, highest, lowest and last price of each day are real. Input for the flow stock-stats.
    """
    container = container_for(sources.settings(topics))
    if live:
        check_live(rate=rate)
    given = {**(LIVE_TRADES if live else {}), **options.given()}
    clock = container.clock() if live else None
    with named_options(asdict(options)):
        write_trades(container, Simulation(**given), days.prices(container), topic=topic, rate=rate, clock=clock)


@option_groups
def daily_prices(*, days: DayOptions, live: Live = False, topics: TopicOptions, sources: SettingSources) -> None:
    """Write real daily prices to the topic daily-prices.

    Input for the flow top-movers.
    """
    container = container_for(sources.settings(topics))
    prices = days.prices(container)
    clock = container.clock() if live else None
    rows = daily_rows(prices) if clock is None else live_rows(prices, clock.now_ms)
    total = len(prices) if clock is None else None
    written = write_events(container, rows, ["daily-prices"], flow="top-movers", what="daily prices", total=total, clock=clock)
    message(f"{counted(written, 'daily price')} written to topic 'daily-prices'")
