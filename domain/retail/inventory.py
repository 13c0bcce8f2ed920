"""What stores have in stock, as restocks and sales tell it."""

from typing import TypeAlias

from eddyline.domain.value import value

Stock: TypeAlias = dict[str, int]
"""How many pieces of each sku; below zero when more was sold than was ever put in, which is a fact and kept as one."""


@value
class Item:
    """A change in one store: `quantity` pieces of a sku were restocked or sold; of another `type`, it changes nothing."""

    store_name: str | None = None
    sku: str | None = None
    quantity: int = 0
    type: str | None = None

    @property
    def change(self) -> int:
        """By how many pieces the stock grows: RESTOCK adds, SALE subtracts, anything else does nothing."""
        if self.type == "RESTOCK":
            return self.quantity
        return -self.quantity if self.type == "SALE" else 0


@value
class StoreInventory:
    """All that one store has in stock."""

    store_name: str | None
    stock: Stock


@value
class NegativeStock:
    """A store that has sold more than it had: of each sku, how many pieces are missing."""

    store_name: str | None
    missing: Stock


def empty_stock() -> Stock:
    """The stock of a store that nothing is known about."""
    return {}


def change_stock(stock: Stock, item: Item) -> Stock:
    """The stock after an item; an item without a sku, or one that changes nothing, enters no sku."""
    change = item.change
    if not change or item.sku is None:
        return stock
    return {**stock, item.sku: stock.get(item.sku, 0) + change}


def merge_stock(stock: Stock, other: Stock) -> Stock:
    """The stock after the changes of both; with `empty_stock` a monoid."""
    return {**stock, **{sku: stock.get(sku, 0) + quantity for sku, quantity in other.items()}}


def missing_pieces(stock: Stock) -> Stock:
    """What was sold beyond what was there: the skus below zero, each with the pieces that are missing."""
    return {sku: -quantity for sku, quantity in stock.items() if quantity < 0}
