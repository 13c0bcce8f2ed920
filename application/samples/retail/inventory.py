"""The flow inventory: the stock of stores."""

from eddyline import TopologyBuilder
from eddyline.domain.retail import Inventory, Item, NegativeStock, Stock, StoreInventory


def inventory(builder: TopologyBuilder, *, rekey: bool = True, report_negative: bool = False) -> None:
    """Maintain the stock of each store from its restocks and sales.

    Input: `items`, grouped by the store that the item names, or without `rekey` by the key. Output: `store-inventory`, the whole
    stock of the store after each item.

    With `report_negative`, there is a second output: `negative-stock`, a table of the stores that sold more than they had, from
    which a store is deleted when its shortage ends.
    """
    items = builder.stream("items", key=str, value=Item).filter(_names_a_store, drop_reason="no-store")
    by_store = items.group_by(_store_name, name="by-store") if rekey else items.group_by_key()
    stocks = by_store.aggregate(dict, _apply, value=dict[str, int], store="INVENTORY", caching=False if report_negative else None)
    stocks.to_stream().map_values(_store_inventory, with_key=True).to("store-inventory")
    if report_negative:
        stocks.filter(_has_shortage).map_values(_shortage, with_key=True).to_stream().to("negative-stock")


def _names_a_store(_key: str, item: Item | None) -> bool:
    return item is not None and item.store_name is not None


def _store_name(_key: str, item: Item) -> str:
    return item.store_name or ""


def _apply(stock: Stock, item: Item) -> Stock:
    return Inventory(stock).apply(item).stock


def _store_inventory(store_name: str, stock: Stock) -> StoreInventory:
    return Inventory(stock).of_store(store_name)


def _has_shortage(store_name: str, stock: Stock) -> bool:
    return _shortage(store_name, stock) is not None


def _shortage(store_name: str, stock: Stock) -> NegativeStock | None:
    return Inventory(stock).shortage(store_name)
