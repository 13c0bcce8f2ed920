"""Retail: the inventory of stores, views of products, orders, customers and their purchases."""

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
from eddyline.domain.retail.product_views import ProductViews

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
    "ProductViews",
    "Purchase",
    "RejectedChange",
    "SkuTotal",
    "Stock",
    "StoreInventory",
]
