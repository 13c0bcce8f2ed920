"""The flow inventory: the stock of stores."""

from typing import Any

from eddyline import Stream, TopologyBuilder
from eddyline.application.samples.retail import lenient as written
from eddyline.domain.retail import Inventory, Item, NegativeStock, StoreInventory


def inventory(builder: TopologyBuilder, *, rekey: bool = True, report_negative: bool = True, lenient: bool = False) -> None:
    """Maintain the stock of each store from its restocks and sales.

    Input: `items`, grouped by the store that the item names, or without `rekey` by the key. Output: `store-inventory`, the whole
    stock of the store after each item, and `negative-stock`, a table of the stores that sold more than they had, from which a
    store is deleted when its shortage ends; without `report_negative` there is none.

    With `lenient`, items are taken as they were written: those that are neither sales nor restocks, or lack a SKU or a quantity,
    change nothing, and there is no report.
    """
    items: Stream[str, Any] = builder.stream("items", key=str, value=written.Item if lenient else Item)
    items = items.filter(_names_a_store, drop_reason="no-store")
    by_store = items.group_by(_store_name, name="by-store") if rekey else items.group_by_key()
    reported = report_negative and not lenient
    apply = written.apply if lenient else Inventory.apply
    stocks = by_store.aggregate(Inventory, apply, store="INVENTORY", caching=False if reported else None)
    stocks.to_stream().map_values(_store_inventory, with_key=True).to("store-inventory")
    if reported:
        stocks.filter(_has_shortage).map_values(_shortage, with_key=True).to_stream().to("negative-stock")


def _names_a_store(_key: str, item: Item | written.Item | None) -> bool:
    return item is not None and item.store_name is not None


def _store_name(_key: str, item: Item) -> str:
    return item.store_name


def _store_inventory(store_name: str, inventory: Inventory) -> StoreInventory:
    return inventory.of_store(store_name)


def _has_shortage(store_name: str, inventory: Inventory) -> bool:
    return inventory.shortage(store_name) is not None


def _shortage(store_name: str, inventory: Inventory) -> NegativeStock | None:
    return inventory.shortage(store_name)
