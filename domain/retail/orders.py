"""Orders of customers, their lines, and the quantity that was ordered per SKU.

Orders and lines are kept as their senders wrote them; only the fields that are needed are read.
"""

from typing import Any, TypeAlias

from eddyline.domain.value import value

Json: TypeAlias = dict[str, Any]
"""A JSON object."""


@value
class Order:
    """An order as its sender wrote it, with `customer`, a string, and `lines`, a list."""

    content: Json | None

    @property
    def customer(self) -> str | None:
        """Who ordered; None if the order does not name a customer."""
        return _text(self.content, "customer")

    @property
    def lines(self) -> list[Json]:
        """The lines of the order; empty if it has no list of lines."""
        lines = self.content.get("lines") if isinstance(self.content, dict) else None
        return lines if isinstance(lines, list) else []

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ordered."""
        return not self.lines


@value
class OrderLine:
    """A line of an order as its sender wrote it, with `sku`, a string, and `qty`, a number."""

    content: Json

    @property
    def sku(self) -> str | None:
        """What was ordered; None if the line does not name a SKU."""
        return _text(self.content, "sku")

    @property
    def quantity(self) -> int | float:
        """The ordered quantity; 0 if it is missing or not a number."""
        quantity = self.content.get("qty")
        return quantity if isinstance(quantity, int | float) and not isinstance(quantity, bool) else 0


@value
class SkuTotal:
    """The total of a SKU: the first line that ordered it, with the quantity of all its lines so far."""

    content: Json

    def add(self, line: OrderLine) -> "SkuTotal":
        """Return the total with one more line; only `qty` changes, all other fields are those of the first line."""
        return SkuTotal({**self.content, "qty": OrderLine(self.content).quantity + line.quantity})


def _text(content: object, field: str) -> str | None:
    text = content.get(field) if isinstance(content, dict) else None
    return text if isinstance(text, str) else None
