"""Lists the shares that moved most."""

from typing import Literal

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.handles import GroupedTable
from eddyline.application.topology.windows import Windowed, calendar_days
from eddyline.domain.movers import AnyMover, Movers, Rank, enter, leave, mover, no_movers, sector_of, top_movers
from eddyline.domain.price_range import Price
from eddyline.domain.trading_day import DayOpenClose, date_of

_PRICES = "daily-prices"


def top_movers_of_the_day(
    builder: TopologyBuilder,
    *,
    kind: Literal["daily", "ticks"] = "daily",
    n: int = 10,
    rank: Rank = "abs",
    group_by: Literal["all", "sector"] = "all",
    zone: str = "UTC",
    grace_ms: int = 0,
) -> None:
    """Prices in, by symbol; out, at every change, the list of the first `n` movers by `rank`.

    `kind` daily takes rows of a day's open and close, one list for `group_by` all or one a sector; ticks makes a day's open
    and close of the prices that come, in days of `zone` that take late ones within `grace_ms`, one list a date.
    """

    def first(movers: Movers) -> list[AnyMover]:
        return top_movers(movers, n, rank)

    grouped = _days(builder, group_by) if kind == "daily" else _days_of_ticks(builder, zone, grace_ms)
    (
        grouped.aggregate(no_movers, enter, leave, value=dict[str, AnyMover], store="movers-store")
        .map_values(first)
        .to_stream()
        .to("top-movers")
    )


def _days(builder: TopologyBuilder, group_by: str) -> GroupedTable[str, AnyMover]:
    rows = builder.table(_PRICES, key=str, value=dict, store="daily-prices-store")
    selector = _by_sector if group_by == "sector" else _all_together
    return rows.map_values(mover, with_key=True).group_by(selector, name="movers")


def _days_of_ticks(builder: TopologyBuilder, zone: str, grace_ms: int) -> GroupedTable[str, AnyMover]:
    def by_date(windowed: Windowed[str], day: DayOpenClose) -> tuple[str, AnyMover]:
        return date_of(windowed.window.start, zone), day.mover(windowed.key)

    return (
        builder.stream(_PRICES, key=str, value=Price)
        .filter(_is_price)
        .group_by_key()
        .windowed_by(calendar_days(zone, grace=grace_ms))
        .aggregate(DayOpenClose, DayOpenClose.add, merge=DayOpenClose.merge, store="day-open-close")
        .group_by(by_date, name="movers")
    )


def _all_together(_symbol: str, share: AnyMover) -> tuple[str, AnyMover]:
    return "all", share


def _by_sector(_symbol: str, share: AnyMover) -> tuple[str | None, AnyMover]:
    return sector_of(share), share


def _is_price(_symbol: str, price: Price | None) -> bool:
    return price is not None
