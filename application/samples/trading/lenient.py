"""Trades and prices as senders wrote them, for flows with the setting `lenient`: nothing is checked, and what is missing is 0."""

from collections.abc import Mapping
from typing import Any

from eddyline.domain.trading import AnyMover, Mover, SectorMover, percent_change
from eddyline.domain.value import value


@value
class Trade:
    """A trade that may lack anything."""

    type: str | None = None
    ticker: str | None = None
    price: float = 0.0
    size: int = 0


@value
class Price:
    """A price that may be missing."""

    price: float = 0.0


def mover(symbol: str, row: Mapping[str, Any]) -> AnyMover:
    """Return the mover of a share's row; a price that is no number counts as 0, and a sector that is no text is not known."""
    open_price, close, sector = _number(row, "open"), _number(row, "close"), row.get("sector")
    change = percent_change(open_price, close)
    return (
        SectorMover(symbol, sector, open_price, close, change)
        if isinstance(sector, str)
        else Mover(symbol, open_price, close, change)
    )


def _number(row: Mapping[str, Any], name: str) -> float:
    number = row.get(name)
    return float(number) if isinstance(number, int | float) else 0.0
