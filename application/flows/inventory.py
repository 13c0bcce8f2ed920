"""Keeps what each store has in stock."""

from application.topology.builder import TopologyBuilder
from domain.inventory import Item, Stock, StoreInventory, change_stock, empty_stock


def inventory(builder: TopologyBuilder, *, rekey: bool = True) -> None:
    """Restocks and sales in, the whole stock of the store out after each; `rekey` groups by the item's store, not by its key."""
    items = builder.stream("items", key=str, value=Item).filter(_names_a_store)
    by_store = items.group_by(_store_name, name="by-store") if rekey else items.group_by_key()
    (
        by_store.aggregate(empty_stock, change_stock, value=dict[str, int], store="INVENTORY")
        .to_stream()
        .map_values(_store_inventory, with_key=True)
        .to("store-inventory")
    )


def _names_a_store(_key: str, item: Item | None) -> bool:
    return item is not None and item.store_name is not None


def _store_name(_key: str, item: Item) -> str:
    return item.store_name or ""


def _store_inventory(store_name: str, stock: Stock) -> StoreInventory:
    return StoreInventory(store_name, stock)
