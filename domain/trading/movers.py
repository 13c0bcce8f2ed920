"""The shares whose prices moved most: the change of each share from open to close, and the list of the top movers."""

from collections.abc import Callable
from dataclasses import field
from typing import Literal, TypeAlias

from eddyline.domain.value import above_zero, is_number, not_empty, value

Rank: TypeAlias = Literal["abs", "gain", "loss"]
"""What ranks a share high: a great change in either direction, a great gain, or a great loss."""


@value
class DailyQuote:
    """The open and the close of a share on its latest day, and the sector that it belongs to, None if that is not known."""

    open: float
    close: float
    sector: str | None = None

    def __post_init__(self) -> None:
        above_zero(open=self.open, close=self.close)
        if not is_number(percent_change(self.open, self.close)):
            raise ValueError(f"close is {self.close} and open is {self.open}; no number is the change from one to the other")
        if self.sector is not None:
            not_empty(sector=self.sector)


@value
class Mover:
    """A share's day, with the change of its price in percent of the open."""

    symbol: str
    open: float
    close: float
    change_percent: float

    @property
    def sector(self) -> str | None:
        """None: the sector of the share is not known."""
        return None

    @staticmethod
    def of_day(symbol: str, quote: DailyQuote) -> "AnyMover":
        """Return the mover of a share's day: a SectorMover if its sector is known."""
        change = percent_change(quote.open, quote.close)
        if quote.sector is not None:
            return SectorMover(symbol, quote.sector, quote.open, quote.close, change)
        return Mover(symbol, quote.open, quote.close, change)


@value
class SectorMover:
    """A share's day, with the change of its price in percent of the open and the sector that the share belongs to."""

    symbol: str
    sector: str
    open: float
    close: float
    change_percent: float


AnyMover: TypeAlias = SectorMover | Mover
"""A mover with or without a sector."""


@value
class Movers:
    """The movers that one list ranks, by symbol. `Movers()` has none."""

    by_symbol: dict[str, AnyMover] = field(default_factory=dict)

    def enter(self, mover: AnyMover) -> "Movers":
        """Return the movers with this one, which replaces another of its symbol."""
        return Movers({**self.by_symbol, mover.symbol: mover})

    def leave(self, mover: AnyMover) -> "Movers":
        """Return the movers without the one of this mover's symbol."""
        return Movers({symbol: other for symbol, other in self.by_symbol.items() if symbol != mover.symbol})

    def top(self, n: int, rank: Rank = "abs") -> list[AnyMover]:
        """Return the first `n` movers by `rank`; movers of equal change are ordered by symbol."""
        order = _ORDERS[rank]
        return sorted(self.by_symbol.values(), key=lambda mover: (order(mover.change_percent), mover.symbol))[:n]


def percent_change(open_price: float, close: float) -> float:
    """Return the change from open to close in percent of the open; 0 when the open is 0."""
    return (close - open_price) / open_price * 100 if open_price else 0.0


_ORDERS: dict[Rank, Callable[[float], float]] = {
    "abs": lambda change: -abs(change),
    "gain": lambda change: -change,
    "loss": lambda change: change,
}
