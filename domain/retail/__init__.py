"""Retail: the inventory of stores, shoe stores, views and orders of products, customers and their purchases."""

from eddyline.domain.retail.customers import (
    Customer,
    CustomerPurchase,
    CustomerRow,
    CustomerUpdate,
    Purchase,
)
from eddyline.domain.retail.inventory import Inventory, Item, NegativeStock, Stock, StoreInventory
from eddyline.domain.retail.product_views import ProductViews
from eddyline.domain.retail.shoe_store import RefusedReturn, ShoeStore, ShoeStoreReport, ShoeTransaction
from eddyline.domain.retail.weekly_products import Order, ProductOrders, ProductsOfTheWeek, WeekOfOrders, week_of

__all__ = [
    "Customer",
    "CustomerPurchase",
    "CustomerRow",
    "CustomerUpdate",
    "Inventory",
    "Item",
    "NegativeStock",
    "Order",
    "ProductOrders",
    "ProductViews",
    "ProductsOfTheWeek",
    "Purchase",
    "RefusedReturn",
    "ShoeStore",
    "ShoeStoreReport",
    "ShoeTransaction",
    "Stock",
    "StoreInventory",
    "WeekOfOrders",
    "week_of",
]
