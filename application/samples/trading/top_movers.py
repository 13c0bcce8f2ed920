"""The flow top-movers: the shares whose prices moved most."""

from typing import Any, Literal

from eddyline import GroupedTable, Stream, Table, TopologyBuilder, Windowed, calendar_days
from eddyline.application.samples.trading import lenient as written
from eddyline.domain.trading import AnyMover, DailyQuote, DayOpenClose, Mover, Movers, Price, Rank, date_of

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
    lenient: bool = False,
) -> None:
    """List the first `n` movers by `rank`, at every change.

    Input: `daily-prices`, keyed by symbol. Output: `top-movers`, the list of each group.

    With `kind` daily, the input has the open and close of each share's latest day, and there is one list of all shares, or one
    per sector, as `group_by` says. With `kind` ticks, the input has single prices, the open and close of a day of the time zone
    `zone` are those of its first and last price, late prices count for `grace_ms`, and there is one list per date.

    With `lenient`, prices that are not above 0 are taken as they are, and those that are missing or no numbers as 0.
    """

    def first(movers: Movers) -> list[AnyMover]:
        return movers.top(n, rank)

    days = (
        _days(builder, group_by, lenient=lenient) if kind == "daily" else _days_of_ticks(builder, zone, grace_ms, lenient=lenient)
    )
    (days.aggregate(Movers, Movers.enter, Movers.leave, store="movers-store").map_values(first).to_stream().to("top-movers"))


def _days(builder: TopologyBuilder, group_by: str, *, lenient: bool) -> GroupedTable[str, AnyMover]:
    rows: Table[str, Any] = builder.table(_PRICES, key=str, value=dict if lenient else DailyQuote, store="daily-prices-store")
    selector = _by_sector if group_by == "sector" else _all_together
    return rows.map_values(written.mover if lenient else Mover.of_day, with_key=True).group_by(selector, name="movers")


def _days_of_ticks(builder: TopologyBuilder, zone: str, grace_ms: int, *, lenient: bool) -> GroupedTable[str, AnyMover]:
    def by_date(windowed: Windowed[str], day: DayOpenClose) -> tuple[str, AnyMover]:
        return date_of(windowed.window.start, zone), day.mover(windowed.key)

    prices: Stream[str, Any] = builder.stream(_PRICES, key=str, value=written.Price if lenient else Price)
    return (
        prices.filter(_is_price, drop_reason="null-value")
        .group_by_key()
        .windowed_by(calendar_days(zone, grace=grace_ms))
        .aggregate(DayOpenClose, DayOpenClose.add, merge=DayOpenClose.merge, store="day-open-close")
        .group_by(by_date, name="movers")
    )


def _all_together(_symbol: str, mover: AnyMover) -> tuple[str, AnyMover]:
    return "all", mover


def _by_sector(_symbol: str, mover: AnyMover) -> tuple[str | None, AnyMover]:
    return mover.sector, mover


def _is_price(_symbol: str, price: Price | written.Price | None) -> bool:
    return price is not None
