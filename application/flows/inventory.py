"""Keeps what each store has in stock."""

from eddyline.application.topology import TopologyBuilder
from eddyline.domain.inventory import Item, NegativeStock, Stock, StoreInventory, change_stock, empty_stock, missing_pieces


def inventory(builder: TopologyBuilder, *, rekey: bool = True, report_negative: bool = False) -> None:
    """Restocks and sales in, the whole stock of the store out after each; `rekey` groups by the item's store, not by its key.

    With `report_negative` a store tells in a topic of its own, at each change, what it has sold beyond what it had, and withdraws
    that with a null value once nothing is missing any more.
    """
    items = builder.stream("items", key=str, value=Item).filter(_names_a_store)
    by_store = items.group_by(_store_name, name="by-store") if rekey else items.group_by_key()
    stocks = by_store.aggregate(empty_stock, change_stock, value=dict[str, int], store="INVENTORY", caching=not report_negative)
    stocks.to_stream().map_values(_store_inventory, with_key=True).to("store-inventory")
    if report_negative:
        stocks.filter(_is_negative).map_values(_negative_stock, with_key=True).to_stream().to("negative-stock")


def _names_a_store(_key: str, item: Item | None) -> bool:
    return item is not None and item.store_name is not None


def _store_name(_key: str, item: Item) -> str:
    return item.store_name or ""


def _store_inventory(store_name: str, stock: Stock) -> StoreInventory:
    return StoreInventory(store_name, stock)


def _is_negative(_store_name: str, stock: Stock) -> bool:
    return bool(missing_pieces(stock))


def _negative_stock(store_name: str, stock: Stock) -> NegativeStock:
    return NegativeStock(store_name, missing_pieces(stock))
