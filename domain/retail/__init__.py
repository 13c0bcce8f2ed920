"""Retail: the inventory of stores, views of products, customers and their purchases."""

from eddyline.domain.retail.customers import (
    Customer,
    CustomerPurchase,
    CustomerRow,
    CustomerUpdate,
    Purchase,
)
from eddyline.domain.retail.inventory import Inventory, Item, NegativeStock, Stock, StoreInventory
from eddyline.domain.retail.product_views import ProductViews

__all__ = [
    "Customer",
    "CustomerPurchase",
    "CustomerRow",
    "CustomerUpdate",
    "Inventory",
    "Item",
    "NegativeStock",
    "ProductViews",
    "Purchase",
    "Stock",
    "StoreInventory",
]
