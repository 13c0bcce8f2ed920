"""Which shares moved most: the change of each from open to close, and the list of the first few."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from eddyline.domain.value import value

DailyRow: TypeAlias = Mapping[str, Any]
"""A share's day as it was sent; read are `open` and `close`, which count as 0 where they are missing, and `sector`, a text."""

Rank: TypeAlias = Literal["abs", "gain", "loss"]
"""What moves a share up the list: a great change either way, a great gain, a great loss."""


@value
class Mover:
    """A share's day with the change of its price in per cent of the open."""

    symbol: str
    open: float
    close: float
    change_percent: float


@value
class SectorMover:
    """A share's day with the change of its price in per cent of the open, and the sector it belongs to."""

    symbol: str
    sector: str
    open: float
    close: float
    change_percent: float


AnyMover: TypeAlias = SectorMover | Mover
"""A mover with or without a sector."""

Movers: TypeAlias = dict[str, AnyMover]
"""The movers of one list by their symbols."""


def change_percent(open_price: float, close: float) -> float:
    """The change from open to close in per cent of the open; 0 when the open is 0."""
    return (close - open_price) / open_price * 100 if open_price else 0.0


def mover(symbol: str, row: DailyRow) -> AnyMover:
    """The mover that a share's row shows."""
    open_price, close, sector = _number(row, "open"), _number(row, "close"), row.get("sector")
    change = change_percent(open_price, close)
    if isinstance(sector, str):
        return SectorMover(symbol, sector, open_price, close, change)
    return Mover(symbol, open_price, close, change)


def sector_of(share: AnyMover) -> str | None:
    """The sector of a mover, None when it has none."""
    return share.sector if isinstance(share, SectorMover) else None


def no_movers() -> Movers:
    """The list before anything moved."""
    return {}


def enter(movers: Movers, share: AnyMover) -> Movers:
    """The movers with this one, in place of another of its symbol."""
    return {**movers, share.symbol: share}


def leave(movers: Movers, share: AnyMover) -> Movers:
    """The movers without the one of this symbol."""
    return {symbol: other for symbol, other in movers.items() if symbol != share.symbol}


def top_movers(movers: Movers, n: int, rank: Rank = "abs") -> list[AnyMover]:
    """The first `n` movers by `rank`, those of equal change by symbol."""
    order = _ORDERS[rank]
    return sorted(movers.values(), key=lambda share: (order(share.change_percent), share.symbol))[:n]


_ORDERS: dict[Rank, Callable[[float], float]] = {
    "abs": lambda change: -abs(change),
    "gain": lambda change: -change,
    "loss": lambda change: change,
}


def _number(row: DailyRow, field: str) -> float:
    number = row.get(field)
    return float(number) if isinstance(number, int | float) else 0.0
