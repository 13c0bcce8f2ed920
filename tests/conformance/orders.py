"""Orders of two shops merged into one stream: empty orders are separated, the others are totalled per SKU."""

from collections.abc import Iterator
from typing import Any

from eddyline.application.topology import TopologyBuilder
from eddyline.domain.retail import Order, OrderLine, SkuTotal


def merge_branch_flatmap(builder: TopologyBuilder, *, show_lines: bool = False) -> None:
    """Separate empty orders and compute the ordered quantity per SKU."""
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
        .reduce(_add, store="sku-totals-store")
        .to_stream()
        .to("sku-totals")
    )


def _is_empty(_key: str, order: dict[str, Any] | None) -> bool:
    return Order(order).is_empty


def _lines(_key: str, content: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    order = Order(content)
    for line in order.lines:
        yield order.customer, line


def _sku(_customer: str | None, line: dict[str, Any]) -> str | None:
    return OrderLine(line).sku


def _add(total: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    return SkuTotal(total).add(OrderLine(line)).content
