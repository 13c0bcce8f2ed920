"""Orders of customers, their lines, and how much of each sku was ordered; orders and lines pass as they were sent."""

from typing import Any, TypeAlias

Order: TypeAlias = dict[str, Any]
"""An order as its sender wrote it; read are `customer`, a text, and `lines`, a list."""

OrderLine: TypeAlias = dict[str, Any]
"""A line of an order as its sender wrote it; read are `sku`, a text, and `qty`, a number."""


def order_lines(order: Order | None) -> list[OrderLine]:
    """The lines of an order as they stand; none when it has no list of lines."""
    lines = order.get("lines") if isinstance(order, dict) else None
    return lines if isinstance(lines, list) else []


def has_lines(order: Order | None) -> bool:
    """Whether anything was ordered at all."""
    return bool(order_lines(order))


def customer(order: Order) -> str | None:
    """Who ordered; None when the order does not say it in text."""
    return _text(order, "customer")


def sku(line: OrderLine) -> str | None:
    """What was ordered; None when the line does not say it in text."""
    return _text(line, "sku")


def add_quantity(total: OrderLine, line: OrderLine) -> OrderLine:
    """The running total with one more line: only `qty` grows, every other field stays the total's own."""
    return {**total, "qty": _quantity(total) + _quantity(line)}


def _quantity(line: OrderLine) -> int | float:
    quantity = line.get("qty")
    return quantity if isinstance(quantity, int | float) and not isinstance(quantity, bool) else 0


def _text(sent: object, field: str) -> str | None:
    named = sent.get(field) if isinstance(sent, dict) else None
    return named if isinstance(named, str) else None
