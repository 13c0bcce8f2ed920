"""The inventory of a store, which restocks and sales change."""

from dataclasses import field
from typing import TypeAlias

from eddyline.domain.value import value

Stock: TypeAlias = dict[str, int]
"""The number of pieces per SKU; it is negative when more pieces were sold than ever restocked."""


@value
class Item:
    """A restock or a sale of `quantity` pieces of a SKU in one store; an item of any other `type` changes nothing."""

    store_name: str | None = None
    sku: str | None = None
    quantity: int = 0
    type: str | None = None

    @property
    def change(self) -> int:
        """The number of pieces that the item adds to the stock: positive for RESTOCK, negative for SALE, else 0."""
        if self.type == "RESTOCK":
            return self.quantity
        return -self.quantity if self.type == "SALE" else 0


@value
class StoreInventory:
    """The whole stock of a store."""

    store_name: str | None
    stock: Stock


@value
class NegativeStock:
    """The shortage of a store that sold more than it had: the missing pieces per SKU."""

    store_name: str | None
    missing: Stock


@value
class Inventory:
    """The stock of one store. `Inventory()` is empty; with `merge` it is a monoid."""

    stock: Stock = field(default_factory=dict)

    def apply(self, item: Item) -> "Inventory":
        """Return the inventory after a restock or a sale; an item without a SKU, or one that changes nothing, is ignored."""
        change = item.change
        if not change or item.sku is None:
            return self
        return Inventory({**self.stock, item.sku: self.stock.get(item.sku, 0) + change})

    def merge(self, other: "Inventory") -> "Inventory":
        """Return the inventory after the items of both."""
        summed = {sku: self.stock.get(sku, 0) + quantity for sku, quantity in other.stock.items()}
        return Inventory({**self.stock, **summed})

    def of_store(self, store_name: str | None) -> StoreInventory:
        """Return the inventory to publish for a store."""
        return StoreInventory(store_name, self.stock)

    def shortage(self, store_name: str | None) -> NegativeStock | None:
        """Return which pieces a store sold without having them, None if there are none."""
        missing = {sku: -quantity for sku, quantity in self.stock.items() if quantity < 0}
        return NegativeStock(store_name, missing) if missing else None
