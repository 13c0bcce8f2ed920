"""The flow daily-range: the range of each instrument's prices per calendar day."""

from typing import Any

from eddyline import Stream, TopologyBuilder, calendar_days
from eddyline.application.samples.trading import lenient as written
from eddyline.domain.trading import Price, PriceRange


def daily_range(builder: TopologyBuilder, *, zone: str = "UTC", grace_ms: int = 0, lenient: bool = False) -> None:
    """Compute the lowest, highest and average price per instrument and day.

    Input: `prices`, keyed by instrument. Output: `daily-ranges`, the range so far of a day of the time zone `zone`, at every
    price. Late prices count for `grace_ms` after the end of their day. With `lenient`, every price counts, also one that is not
    above 0, and a missing one with 0; and the sum behind the average is rounded at each addition, where it is exact otherwise.
    """
    price_range: Any = written.PriceRange if lenient else PriceRange
    merge = None if lenient else PriceRange.merge
    prices: Stream[str, Any] = builder.stream("prices", key=str, value=written.Price if lenient else Price)
    (
        prices.filter(_is_price, drop_reason="null-value")
        .group_by_key()
        .windowed_by(calendar_days(zone, grace=grace_ms))
        .aggregate(price_range, price_range.add, merge=merge, store="daily-ranges-store")
        .to_stream()
        .map_values(price_range.summary)
        .to("daily-ranges")
    )


def _is_price(_instrument: str, price: Price | written.Price | None) -> bool:
    return price is not None
