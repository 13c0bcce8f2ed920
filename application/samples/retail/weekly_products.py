"""The flow weekly-products: the products of the week, those of which most pieces were ordered."""

from eddyline import FlowSettingError, TopologyBuilder, Windowed, calendar_days
from eddyline.domain.retail import Order, ProductOrders, ProductsOfTheWeek, WeekOfOrders, week_of


def weekly_products(builder: TopologyBuilder, *, zone: str = "UTC", most: int = 10, grace_ms: int = 86_400_000) -> None:
    """List the products of the week, those of which most pieces were ordered.

    Input: `orders`. Output: `products-of-the-week`, keyed by week such as 2026-W02: the `most` best products so far of a week
    from Monday to Sunday in the time zone `zone`. Late orders count for `grace_ms` after the end of their day.
    """
    if most < 1:
        msg = f"setting 'most' of flow 'weekly-products' is {most}; choose 1 or more"
        raise FlowSettingError(msg)

    def by_week(windowed: Windowed[str], pieces: int) -> tuple[str, ProductOrders]:
        return week_of(windowed.window.start, zone), ProductOrders(windowed.key, pieces)

    def best(week: str, orders: WeekOfOrders) -> ProductsOfTheWeek:
        return orders.best(week, most)

    (
        builder.stream("orders", key=str, value=Order)
        .filter(_is_order, drop_reason="null-value")
        .group_by(_product, name="by-product")
        .windowed_by(calendar_days(zone, grace=grace_ms))
        .aggregate(int, _add, merge=int.__add__, store="orders-by-day")
        .group_by(by_week, name="by-week")
        .aggregate(WeekOfOrders, WeekOfOrders.add, WeekOfOrders.subtract, store="weeks")
        .to_stream()
        .map_values(best, with_key=True)
        .to("products-of-the-week")
    )


def _is_order(_number: str, order: Order | None) -> bool:
    return order is not None


def _product(_number: str, order: Order) -> str:
    return order.product


def _add(pieces: int, order: Order) -> int:
    return pieces + order.pieces
