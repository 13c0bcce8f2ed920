"""Trades played inside real days: the day's first, highest, lowest and last trade are the real open, high, low and close."""

import random
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from eddyline.application.samples.simulation.events import SimulatedEvent, SimulationError
from eddyline.domain.trading import DailyPrice, Trade
from eddyline.domain.value import value

EXCHANGE_ZONE = ZoneInfo("America/New_York")
SESSION_START = time(9, 30)
SESSION_END = time(16, 0)

_LEAST_TRADES = 4
_MOST_DELAYED = 0.4


class SimulatedTrade(NamedTuple):
    """A trade under its ticker; `timestamp` is its event time in milliseconds since the epoch."""

    ticker: str
    trade: Trade
    timestamp: int


@value
class Simulation:
    """What to play. The same settings and prices give the same trades, whatever else is played beside them.

    Each share makes `trades_per_day` trades a day. The part `out_of_order` of them arrives up to `out_of_order_ms` after its
    event time, the part `late` between `out_of_order_ms` and `late_ms` after it: a grace of `out_of_order_ms` suffices for
    the former, not always for the latter. Each of these is overtaken by a later trade of its share; where the trades of a day
    lie too far apart for that, fewer are delayed. The open, high, low and close of a day are never delayed, and no trade
    arrives after the close.
    """

    seed: int = 0
    trades_per_day: int = 1000
    out_of_order: float = 0.0
    late: float = 0.0
    out_of_order_ms: int = 2_000
    late_ms: int = 60_000

    def check(self) -> None:
        """Raises SimulationError when a setting cannot be followed."""
        if self.trades_per_day < _LEAST_TRADES:
            raise SimulationError(
                f"trades_per_day is {self.trades_per_day}; open, high, low and close need at least {_LEAST_TRADES}"
            )
        for name, share in (("out_of_order", self.out_of_order), ("late", self.late)):
            if share < 0:
                raise SimulationError(f"{name} is {share}; it is a part of the trades: give a number from 0 to {_MOST_DELAYED}")
        if self.out_of_order + self.late > _MOST_DELAYED:
            raise SimulationError(
                f"out_of_order and late are {self.out_of_order} and {self.late}, together more than {_MOST_DELAYED};"
                " one is out of order only beside others: delay fewer"
            )
        if not 0 < self.out_of_order_ms < self.late_ms:
            raise SimulationError(
                f"out_of_order_ms is {self.out_of_order_ms} and late_ms {self.late_ms};"
                " choose the former above 0 and below the latter"
            )

    def trades(self, prices: Iterable[DailyPrice]) -> Iterator[SimulatedTrade]:
        """The trades of the days in order of arrival, day after day, the shares of a day side by side.

        Raises SimulationError when a setting cannot be followed.
        """
        self.check()
        in_order = sorted(prices, key=lambda price: (price.date, price.ticker))
        for _, of_day in groupby(in_order, key=lambda price: price.date):
            arrivals = [arrival for price in of_day for arrival in self._day(price)]
            arrivals.sort(key=itemgetter(0))
            for _, trade in arrivals:
                yield trade

    def _day(self, price: DailyPrice) -> list["_Arrival"]:
        rng = random.Random(f"{self.seed} {price.ticker} {price.date}")  # noqa: S311 - a game, not a secret
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


def session(day: date) -> tuple[int, int]:
    """When trading opens and closes on a day, in milliseconds since the epoch: from 9:30 to 16:00 in New York."""
    opens, closes = (datetime.combine(day, at, EXCHANGE_ZONE) for at in (SESSION_START, SESSION_END))
    return int(opens.timestamp()) * 1000, int(closes.timestamp()) * 1000


def _shuffled(count: int, rng: random.Random) -> list[int]:
    return rng.sample(range(count), count)


def _times(start: int, end: int, count: int, rng: random.Random) -> list[int]:
    inner = end - start - 1
    return [start, *sorted(start + 1 + int(rng.random() * inner) for _ in range(count - 2)), end]


def _prices(day: DailyPrice, count: int, rng: random.Random) -> tuple[list[float], set[int]]:
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


def daily_rows(prices: Iterable[DailyPrice]) -> Iterator[SimulatedEvent]:
    """Each share's row at the close of each day, by date and ticker: where it opened and where it closed."""
    for price in sorted(prices, key=lambda price: (price.date, price.ticker)):
        _, closes = session(price.date)
        row = {"open": price.open, "close": price.close, "date": price.date.isoformat()}
        yield SimulatedEvent("daily-prices", price.ticker, row, closes)
