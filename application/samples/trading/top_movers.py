"""The flow top-movers: the shares whose prices moved most."""

from typing import Literal

from eddyline import GroupedTable, TopologyBuilder, Windowed, calendar_days
from eddyline.domain.trading import AnyMover, DayOpenClose, Mover, Movers, Price, Rank, date_of

_PRICES = "daily-prices"


def top_movers(
    builder: TopologyBuilder,
    *,
    kind: Literal["daily", "ticks"] = "daily",
    n: int = 10,
    rank: Rank = "abs",
    group_by: Literal["all", "sector"] = "all",
    zone: str = "UTC",
    grace_ms: int = 0,
) -> None:
    """List the first `n` movers by `rank`, at every change.

    Input: `daily-prices`, keyed by symbol. Output: `top-movers`, the list of each group.

    With `kind` daily, the input has the open and close of each share's latest day, and there is one list of all shares, or one
    per sector, as `group_by` says. With `kind` ticks, the input has single prices, the open and close of a day of the time zone
    `zone` are those of its first and last price, late prices count for `grace_ms`, and there is one list per date.
    """

    def first(movers: dict[str, AnyMover]) -> list[AnyMover]:
        return Movers(movers).top(n, rank)

    grouped = _days(builder, group_by) if kind == "daily" else _days_of_ticks(builder, zone, grace_ms)
    (
        grouped.aggregate(dict, _enter, _leave, value=dict[str, AnyMover], store="movers-store")
        .map_values(first)
        .to_stream()
        .to("top-movers")
    )


def _days(builder: TopologyBuilder, group_by: str) -> GroupedTable[str, AnyMover]:
    rows = builder.table(_PRICES, key=str, value=dict, store="daily-prices-store")
    selector = _by_sector if group_by == "sector" else _all_together
    return rows.map_values(Mover.of_day, with_key=True).group_by(selector, name="movers")


def _days_of_ticks(builder: TopologyBuilder, zone: str, grace_ms: int) -> GroupedTable[str, AnyMover]:
    def by_date(windowed: Windowed[str], day: DayOpenClose) -> tuple[str, AnyMover]:
        return date_of(windowed.window.start, zone), day.mover(windowed.key)

    return (
        builder.stream(_PRICES, key=str, value=Price)
        .filter(_is_price, drop_reason="null-value")
        .group_by_key()
        .windowed_by(calendar_days(zone, grace=grace_ms))
        .aggregate(DayOpenClose, DayOpenClose.add, merge=DayOpenClose.merge, store="day-open-close")
        .group_by(by_date, name="movers")
    )


def _enter(movers: dict[str, AnyMover], mover: AnyMover) -> dict[str, AnyMover]:
    return Movers(movers).enter(mover).by_symbol


def _leave(movers: dict[str, AnyMover], mover: AnyMover) -> dict[str, AnyMover]:
    return Movers(movers).leave(mover).by_symbol


def _all_together(_symbol: str, mover: AnyMover) -> tuple[str, AnyMover]:
    return "all", mover


def _by_sector(_symbol: str, mover: AnyMover) -> tuple[str | None, AnyMover]:
    return mover.sector, mover


def _is_price(_symbol: str, price: Price | None) -> bool:
    return price is not None
