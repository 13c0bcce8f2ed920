"""Tells the range of each instrument's prices, a day of the calendar."""

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.windows import calendar_days
from eddyline.domain.price_range import Price, PriceRange


def daily_range(builder: TopologyBuilder, *, zone: str = "UTC", grace_ms: int = 0) -> None:
    """Prices in, keyed by instrument; the lowest, highest and average price of the day so far out. Days are those of `zone`."""
    (
        builder.stream("prices", key=str, value=Price)
        .filter(_is_price)
        .group_by_key()
        .windowed_by(calendar_days(zone, grace=grace_ms))
        .aggregate(PriceRange, PriceRange.add, merge=PriceRange.merge, store="daily-ranges-store")
        .to_stream()
        .map_values(PriceRange.summary)
        .to("daily-ranges")
    )


def _is_price(_instrument: str, price: Price | None) -> bool:
    return price is not None
