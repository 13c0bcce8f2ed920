"""A chart of prices in text, for the end of the demonstration."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

_LOWER, _UPPER, _FULL = "▄", "▀", "█"
_HALVES = {(False, False): " ", (True, False): _UPPER, (False, True): _LOWER, (True, True): _FULL}
_LABEL_EVERY = 4


class PriceRange(NamedTuple):
    """The lowest and the highest price at a time in ms since the epoch."""

    time: int
    low: float
    high: float


def price_chart(ranges: Iterable[PriceRange], *, width: int = 66, height: int = 12) -> list[str]:
    """Return the lines of a chart with a bar from the lowest to the highest price for each of `width` spans of time.

    Args:
        ranges: The prices, in any order.
        width: The number of columns.
        height: The number of lines above the axis; each shows two steps of price.
    """
    points = list(ranges)
    if not points:
        return []
    columns = _columns(points, width)
    bottom, top = min(point.low for point in points), max(point.high for point in points)
    step = (top - bottom) / (2 * height) or 1.0
    steps = 2 * height

    def step_of(price: float) -> int:
        return min(int((price - bottom) / step), steps - 1)

    bars = [bar and (step_of(bar[0]), max(step_of(bar[0]), step_of(bar[1] - step / 2))) for bar in columns]
    prices = [_price(bottom + step * 2 * (height - line)) if line % _LABEL_EVERY == 0 else "" for line in range(height)]
    label = max(map(len, [*prices, _price(bottom)]))
    lines = []
    for line, price in enumerate(prices):
        upper = 2 * (height - line) - 1
        cells = (_HALVES[_covers(bar, upper), _covers(bar, upper - 1)] for bar in bars)
        lines.append(f"{price:>{label}} ┤{''.join(cells)}".rstrip())
    lines.append(f"{_price(bottom):>{label}} ┼{'─' * width}")
    first, last = _clock(min(point.time for point in points)), _clock(max(point.time for point in points))
    lines.append(f"{'':>{label}}  {first}{last:>{max(width - len(first), 0)}}")
    return lines


def _columns(points: Sequence[PriceRange], width: int) -> list[tuple[float, float] | None]:
    """Return the lowest and the highest price of each span of time, None for a span without prices."""
    begin, end = min(point.time for point in points), max(point.time for point in points)
    columns: list[tuple[float, float] | None] = [None] * width
    for time, low, high in points:
        number = min((time - begin) * width // max(end - begin, 1), width - 1)
        bar = columns[number]
        columns[number] = (low, high) if bar is None else (min(bar[0], low), max(bar[1], high))
    return columns


def _covers(bar: tuple[int, int] | None, step: int) -> bool:
    return bar is not None and bar[0] <= step <= bar[1]


def _price(price: float) -> str:
    return f"{price:,.2f}"


def _clock(timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp / 1000, UTC).strftime("%H:%M")
