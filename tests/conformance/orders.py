"""Orders of two shops merged into one stream: empty orders are separated, the others are totalled per SKU."""

from collections.abc import Iterator
from typing import Any

from eddyline.application.topology import TopologyBuilder


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
    return not _order_lines(order)


def _lines(_key: str, order: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    for line in _order_lines(order):
        yield _text(order, "customer"), line


def _sku(_customer: str | None, line: dict[str, Any]) -> str | None:
    return _text(line, "sku")


def _add(total: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    return {**total, "qty": _quantity(total) + _quantity(line)}


def _order_lines(order: dict[str, Any] | None) -> list[dict[str, Any]]:
    lines = order.get("lines") if isinstance(order, dict) else None
    return lines if isinstance(lines, list) else []


def _quantity(line: dict[str, Any]) -> int | float:
    quantity = line.get("qty")
    return quantity if isinstance(quantity, int | float) and not isinstance(quantity, bool) else 0


def _text(content: object, field: str) -> str | None:
    text = content.get(field) if isinstance(content, dict) else None
    return text if isinstance(text, str) else None
