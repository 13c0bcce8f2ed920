"""Simulated trades that follow real daily prices, those prices as rows of a table, and prices at random.

The first, highest, lowest and last trade of a simulated day have the real open, high, low and close as their prices.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from itertools import count, cycle, groupby, pairwise
from operator import itemgetter
from typing import Annotated, Any, Final, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from eddyline.application.samples.simulation import SimulatedEvent, SimulationError
from eddyline.application.samples.simulation.events import (
    HOUR,
    Least,
    Timeline,
    names,
    spread,
)
from eddyline.domain.trading import DailyPrice, Price, Trade
from eddyline.domain.value import value

EXCHANGE_ZONE = ZoneInfo("America/New_York")
SESSION_START = time(9, 30)
SESSION_END = time(16, 0)

_MIN_TRADES = 4
_ROW_INTERVAL_MS = 500
_MAX_DELAYED = 0.4


class SimulatedTrade(NamedTuple):
    """A trade with its ticker as the key; `timestamp` is its event time in ms since the epoch."""

    ticker: str
    trade: Trade
    timestamp: int


@value
class Simulation:
    """The settings of simulated trades.

    The same settings and prices of a share give the same trades, with or without other shares. Each share has `trades_per_day`
    trades a day. The fraction `out_of_order` of them arrives up to `out_of_order_ms` after its event time, the fraction `late`
    between `out_of_order_ms` and `late_ms` after it: a grace period of `out_of_order_ms` is long enough for the former, not
    always for the latter. A delayed trade arrives after a later trade of its share; where trades are too far apart for that,
    fewer are delayed. The open, high, low and close of a day are never delayed, and no trade arrives after the close.
    """

    seed: int = 0
    trades_per_day: int = 1000
    out_of_order: float = 0.0
    late: float = 0.0
    out_of_order_ms: int = 2_000
    late_ms: int = 60_000

    def check(self) -> None:
        """Raise SimulationError for a setting that is out of range."""
        if self.trades_per_day < _MIN_TRADES:
            raise SimulationError(
                f"trades_per_day is {self.trades_per_day}; choose {_MIN_TRADES} or more:"
                " a day has an open, a high, a low and a close"
            )
        for name, fraction in (("out_of_order", self.out_of_order), ("late", self.late)):
            if fraction < 0:
                raise SimulationError(f"{name} is {fraction}; choose a fraction from 0 to {_MAX_DELAYED}")
        if self.out_of_order + self.late > _MAX_DELAYED:
            raise SimulationError(
                f"out_of_order and late are {self.out_of_order} and {self.late}, together more than {_MAX_DELAYED};"
                " choose smaller fractions: a trade is delayed only if another one overtakes it"
            )
        if not 0 < self.out_of_order_ms < self.late_ms:
            raise SimulationError(
                f"out_of_order_ms is {self.out_of_order_ms} and late_ms is {self.late_ms};"
                " choose an out_of_order_ms above 0 and below late_ms"
            )

    def trades(self, prices: Iterable[DailyPrice]) -> Iterator[SimulatedTrade]:
        """Generate the trades of the given days in order of arrival, day after day; the trades of all shares are interleaved.

        Raises:
            SimulationError: A setting is out of range.
        """
        self.check()
        in_order = sorted(prices, key=lambda price: (price.date, price.ticker))
        for _, of_day in groupby(in_order, key=lambda price: price.date):
            arrivals = [arrival for price in of_day for arrival in self._day(price)]
            arrivals.sort(key=itemgetter(0))
            for _, trade in arrivals:
                yield trade

    def _day(self, price: DailyPrice) -> list["_Arrival"]:
        rng = random.Random(f"{self.seed} {price.ticker} {price.date}")  # noqa: S311 - a simulation, not a secret
        start, end = session(price.date)
        prices, fixed = _prices(price, self.trades_per_day, rng)
        times = _times(start, end, self.trades_per_day, rng)
        arrival_times = self._arrival_times(times, fixed, rng)
        arrivals = [
            (arrives, SimulatedTrade(price.ticker, Trade("ASK", price.ticker, paid, _lot(rng)), timestamp))
            for arrives, paid, timestamp in zip(arrival_times, prices, times, strict=True)
        ]
        arrivals.sort(key=itemgetter(0))
        return arrivals

    def _arrival_times(self, times: list[int], fixed: set[int], rng: random.Random) -> list[int]:
        arrivals = list(times)
        late = round(self.late * len(times))
        to_delay = late + round(self.out_of_order * len(times))
        delayed: set[int] = set()
        before_close = times[-1] - 1
        for index in _shuffled(len(times) - 1, rng) if to_delay else ():
            if len(delayed) == to_delay:
                break
            least, most = (self.out_of_order_ms + 1, self.late_ms) if len(delayed) < late else (1, self.out_of_order_ms)
            gap = times[index + 1] - times[index]
            can_be_overtaken = 0 < gap < most and times[index + 1] < before_close
            if can_be_overtaken and index not in fixed and delayed.isdisjoint((index - 1, index + 1)):
                delayed.add(index)
                arrivals[index] = min(times[index] + rng.randint(max(least, gap + 1), most), before_close)
        return arrivals


_Arrival: TypeAlias = tuple[int, SimulatedTrade]
"""When a trade arrives, in ms since the epoch, and the trade."""


LIVE_TRADES: Final[Mapping[str, Any]] = {"trades_per_day": 20_000, "out_of_order": 0.05, "late": 0.02}
"""The settings of live trades by default: about four trades per second, some of which arrive late."""


def live_trades(simulation: Simulation, prices: Sequence[DailyPrice], now_ms: Callable[[], int]) -> Iterator[SimulatedTrade]:
    """Generate the trades of the given days without end: the first day begins now, and each other one when one has ended.

    Args:
        simulation: The settings; each time all days have been traded, the seed is the next one.
        prices: The daily prices.
        now_ms: Returns the time in ms since the epoch.

    Raises:
        SimulationError: A setting is out of range.
    """
    days = [list(of_day) for _, of_day in groupby(sorted(prices, key=_date), key=_date)]
    for seed in count(simulation.seed):
        for of_day in days:
            moved, (opens, _) = now_ms(), session(of_day[0].date)
            for ticker, trade, at in replace(simulation, seed=seed).trades(of_day):
                yield SimulatedTrade(ticker, trade, at - opens + moved)


def live_rows(prices: Sequence[DailyPrice], now_ms: Callable[[], int]) -> Iterator[SimulatedEvent]:
    """Generate the rows of the table `daily-prices` again and again, one each half second from now on, in ms since the epoch."""
    start = now_ms()
    for number, row in enumerate(cycle(list(daily_rows(prices)))):
        yield row._replace(timestamp=start + number * _ROW_INTERVAL_MS)


def daily_rows(prices: Iterable[DailyPrice]) -> Iterator[SimulatedEvent]:
    """Generate the rows of the table `daily-prices`: open and close of each share at each day's close, by date and ticker."""
    for price in sorted(prices, key=lambda price: (price.date, price.ticker)):
        _, closes = session(price.date)
        row = {"open": price.open, "close": price.close, "date": price.date.isoformat()}
        yield SimulatedEvent("daily-prices", price.ticker, row, closes)


def _date(price: DailyPrice) -> date:
    return price.date


def simulate_daily_range(
    timeline: Timeline,
    *,
    instruments: Annotated[int, "Number of instruments.", Least(1)] = 5,
    prices: Annotated[int, "Number of prices of all instruments."] = 5_000,
    hours: Annotated[int, "Duration, in hours.", Least(1)] = 72,
    crashes: Annotated[int, "Number of times that a price falls by a third for a moment."] = 3,
) -> None:
    """Simulate prices that change by up to half a percent each, and crash now and then."""
    rng, start_ms = timeline.rng, timeline.start_ms
    lasts = hours * HOUR
    level = {instrument: rng.uniform(20, 400) for instrument in names("share", instruments)}
    upcoming = spread(start_ms, lasts, crashes)[::-1]
    for number in range(prices):
        at = start_ms + number * lasts // prices
        instrument = rng.choice(list(level))
        level[instrument] *= 1 + rng.uniform(-0.005, 0.005)
        crashed = bool(upcoming) and at >= upcoming[-1]
        if crashed:
            upcoming.pop()
        timeline.add("prices", instrument, Price(max(0.01, round(level[instrument] * (2 / 3 if crashed else 1), 2))), at)


def session(day: date) -> tuple[int, int]:
    """Return the start and the end of trading on a day, 9:30 and 16:00 in New York, in ms since the epoch."""
    opens, closes = (datetime.combine(day, at, EXCHANGE_ZONE) for at in (SESSION_START, SESSION_END))
    return int(opens.timestamp()) * 1000, int(closes.timestamp()) * 1000


def _shuffled(count: int, rng: random.Random) -> list[int]:
    return rng.sample(range(count), count)


def _times(start: int, end: int, count: int, rng: random.Random) -> list[int]:
    inner = end - start - 1
    return [start, *sorted(start + 1 + int(rng.random() * inner) for _ in range(count - 2)), end]


def _prices(day: DailyPrice, count: int, rng: random.Random) -> tuple[list[float], set[int]]:
    """Return the prices of the trades, and the indexes of open, high, low and close among them."""
    high_at, low_at = rng.sample(range(1, count - 1), 2)
    anchors = sorted([(0, day.open), (high_at, day.high), (low_at, day.low), (count - 1, day.close)])
    prices = [day.open]
    for (begin, left), (stop, right) in pairwise(anchors):
        prices.extend(_walk(day, left, right, stop - begin - 1, rng))
        prices.append(right)
    return prices, {at for at, _ in anchors}


def _walk(day: DailyPrice, left: float, right: float, steps: int, rng: random.Random) -> Iterator[float]:
    low, high = day.low, day.high
    wobble, swing = 0.0, (high - low) / 10
    step = (right - left) / (steps + 1)
    for index in range(1, steps + 1):
        wobble = 0.95 * wobble + swing * (rng.random() - 0.5)
        yield min(max(round(left + index * step + wobble, 2), low), high)


def _lot(rng: random.Random) -> int:
    return 100 * (1 + int(10 * rng.random()))
