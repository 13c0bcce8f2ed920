"""Orders of two shops in one stream: empty orders are split off, the others are totalled by SKU."""

from collections.abc import Iterator

from eddyline.application.topology import TopologyBuilder
from eddyline.domain.orders import Order, OrderLine, add_quantity, customer, has_lines, order_lines, sku


def merge_branch_flatmap(builder: TopologyBuilder, *, show_lines: bool = False) -> None:
    """Write empty orders to topic `orders-empty` and the total quantity of each SKU to topic `sku-totals`."""
    orders = builder.stream("orders-a", key=str, value=dict).merge(builder.stream("orders-b", key=str, value=dict))
    branches = orders.split(name="orders").branch(_is_empty, name="empty").default_branch(name="full")
    branches["empty"].to("orders-empty")
    lines = branches["full"].flat_map(_lines)
    if show_lines:
        lines.to("order-lines")
    (
        lines.select_key(_sku)
        .repartition(name="by-sku")
        .group_by_key()
        .reduce(add_quantity, store="sku-totals-store")
        .to_stream()
        .to("sku-totals")
    )


def _is_empty(_key: str, order: Order | None) -> bool:
    return not has_lines(order)


def _lines(_key: str, order: Order) -> Iterator[tuple[str | None, OrderLine]]:
    for line in order_lines(order):
        yield customer(order), line


def _sku(_customer: str | None, line: OrderLine) -> str | None:
    return sku(line)
