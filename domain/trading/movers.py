"""The shares whose prices moved most: the change of each share from open to close, and the list of the top movers."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from eddyline.domain.value import value

DailyRow: TypeAlias = Mapping[str, Any]
"""A share's day as its sender wrote it, with `open`, `close` and `sector`; a price that is missing or no number counts as 0."""

Rank: TypeAlias = Literal["abs", "gain", "loss"]
"""What ranks a share high: a great change in either direction, a great gain, or a great loss."""


@value
class Mover:
    """A share's day, with the change of its price in percent of the open."""

    symbol: str
    open: float
    close: float
    change_percent: float

    @property
    def sector(self) -> str | None:
        """None: the share's row names no sector."""
        return None

    @staticmethod
    def of_day(symbol: str, row: DailyRow) -> "AnyMover":
        """Return the mover of a share's row: a SectorMover where the row names a sector."""
        open_price, close, sector = _number(row, "open"), _number(row, "close"), row.get("sector")
        change = percent_change(open_price, close)
        if isinstance(sector, str):
            return SectorMover(symbol, sector, open_price, close, change)
        return Mover(symbol, open_price, close, change)


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


def _number(row: DailyRow, name: str) -> float:
    number = row.get(name)
    return float(number) if isinstance(number, int | float) else 0.0
