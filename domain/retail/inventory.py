"""The inventory of a store, which restocks and sales change."""

from dataclasses import field
from typing import TypeAlias

from eddyline.domain.value import at_least, not_empty, one_of, value

Stock: TypeAlias = dict[str, int]
"""The number of pieces per SKU; it is negative when more pieces were sold than ever restocked."""


@value
class Item:
    """A restock or a sale, as `type` says, of `quantity` pieces of a SKU in one store."""

    store_name: str
    sku: str
    quantity: int
    type: str

    def __post_init__(self) -> None:
        not_empty(store_name=self.store_name, sku=self.sku)
        at_least(1, quantity=self.quantity)
        one_of(("RESTOCK", "SALE"), type=self.type)

    @property
    def change(self) -> int:
        """The number of pieces that the item adds to the stock: positive for RESTOCK, negative for SALE."""
        return self.quantity if self.type == "RESTOCK" else -self.quantity


@value
class StoreInventory:
    """The whole stock of a store."""

    store_name: str
    stock: Stock


@value
class NegativeStock:
    """The shortage of a store that sold more than it had: the missing pieces per SKU."""

    store_name: str
    missing: Stock


@value
class Inventory:
    """The stock of one store. `Inventory()` is empty; with `merge` it is a monoid."""

    stock: Stock = field(default_factory=dict)

    def apply(self, item: Item) -> "Inventory":
        """Return the inventory after a restock or a sale."""
        return self.changed(item.sku, item.change)

    def changed(self, sku: str, change: int) -> "Inventory":
        """Return the inventory with so many more pieces of a SKU, or fewer if `change` is negative."""
        return Inventory({**self.stock, sku: self.stock.get(sku, 0) + change})

    def merge(self, other: "Inventory") -> "Inventory":
        """Return the inventory after the items of both."""
        summed = {sku: self.stock.get(sku, 0) + quantity for sku, quantity in other.stock.items()}
        return Inventory({**self.stock, **summed})

    def of_store(self, store_name: str) -> StoreInventory:
        """Return the inventory to publish for a store."""
        return StoreInventory(store_name, self.stock)

    def shortage(self, store_name: str) -> NegativeStock | None:
        """Return which pieces a store sold without having them, None if there are none."""
        missing = {sku: -quantity for sku, quantity in self.stock.items() if quantity < 0}
        return NegativeStock(store_name, missing) if missing else None
