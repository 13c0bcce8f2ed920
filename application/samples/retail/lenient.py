"""Items as senders wrote them, for the flow inventory with the setting `lenient`: nothing is checked."""

from eddyline.domain.retail import Inventory
from eddyline.domain.value import value


@value
class Item:
    """An item that may lack anything; one of another type than RESTOCK and SALE changes nothing."""

    store_name: str | None = None
    sku: str | None = None
    quantity: int = 0
    type: str | None = None


def apply(inventory: Inventory, item: Item) -> Inventory:
    """Return the inventory after an item; one without a SKU, or that changes nothing, has no effect."""
    change = {"RESTOCK": item.quantity, "SALE": -item.quantity}.get(item.type or "", 0)
    return inventory.changed(item.sku, change) if change and item.sku is not None else inventory
