"""The products of the week: those of which most pieces were ordered."""

from dataclasses import field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from eddyline.domain.value import at_least, not_empty, value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@value
class Order:
    """Pieces of a product were ordered."""

    product: str
    pieces: int

    def __post_init__(self) -> None:
        not_empty(product=self.product)
        at_least(1, pieces=self.pieces)


@value
class ProductOrders:
    """How many pieces of a product were ordered."""

    product: str
    pieces: int


@value
class ProductsOfTheWeek:
    """The products of a week such as 2026-W02, the best first, and how many pieces of all products were ordered in it."""

    week: str
    pieces: int
    products: tuple[ProductOrders, ...]


@value
class WeekOfOrders:
    """The pieces that were ordered of each product in a week. `WeekOfOrders()` has none."""

    pieces: dict[str, int] = field(default_factory=dict)

    def add(self, orders: ProductOrders) -> "WeekOfOrders":
        """Return the week with more orders of a product."""
        return self._changed(orders.product, orders.pieces)

    def subtract(self, orders: ProductOrders) -> "WeekOfOrders":
        """Return the week without orders of a product that were added before."""
        return self._changed(orders.product, -orders.pieces)

    def best(self, week: str, most: int) -> ProductsOfTheWeek:
        """Return the products with the most pieces, `most` of them at most; equally good ones are in the order of their names."""
        ranked = sorted(self.pieces.items(), key=lambda each: (-each[1], each[0]))
        products = tuple(ProductOrders(product, pieces) for product, pieces in ranked[:most])
        return ProductsOfTheWeek(week, sum(self.pieces.values()), products)

    def _changed(self, product: str, by: int) -> "WeekOfOrders":
        pieces = self.pieces.get(product, 0) + by
        others = {other: count for other, count in self.pieces.items() if other != product}
        return WeekOfOrders({**others, product: pieces} if pieces else others)


def week_of(timestamp: int, zone: str = "UTC") -> str:
    """Return the week by ISO 8601, from Monday to Sunday, such as 2026-W02, of a time in ms since the epoch in a named time zone.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: The time zone does not exist.
    """
    year, week, _ = (_EPOCH + timedelta(milliseconds=timestamp)).astimezone(ZoneInfo(zone)).isocalendar()
    return f"{year:04}-W{week:02}"
