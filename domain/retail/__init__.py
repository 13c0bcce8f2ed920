"""Retail: the inventory of stores, orders, customers and their purchases."""

from eddyline.domain.retail.customers import (
    ChangeSource,
    Customer,
    CustomerChange,
    CustomerPurchase,
    CustomerRow,
    Purchase,
    RejectedChange,
)
from eddyline.domain.retail.inventory import Inventory, Item, NegativeStock, Stock, StoreInventory
from eddyline.domain.retail.orders import Order, OrderLine, SkuTotal

__all__ = [
    "ChangeSource",
    "Customer",
    "CustomerChange",
    "CustomerPurchase",
    "CustomerRow",
    "Inventory",
    "Item",
    "NegativeStock",
    "Order",
    "OrderLine",
    "Purchase",
    "RejectedChange",
    "SkuTotal",
    "Stock",
    "StoreInventory",
]
