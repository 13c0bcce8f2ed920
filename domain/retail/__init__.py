"""Inventory, orders, customers and purchases of stores."""

from eddyline.domain.retail.customers import (
    ChangeSource,
    Customer,
    CustomerChange,
    CustomerPurchase,
    CustomerRow,
    Purchase,
    RejectedChange,
)
from eddyline.domain.retail.inventory import (
    Item,
    NegativeStock,
    Stock,
    StoreInventory,
    change_stock,
    empty_stock,
    merge_stock,
    missing_pieces,
)
from eddyline.domain.retail.orders import Order, OrderLine, add_quantity, customer, has_lines, order_lines, sku

__all__ = [
    "ChangeSource",
    "Customer",
    "CustomerChange",
    "CustomerPurchase",
    "CustomerRow",
    "Item",
    "NegativeStock",
    "Order",
    "OrderLine",
    "Purchase",
    "RejectedChange",
    "Stock",
    "StoreInventory",
    "add_quantity",
    "change_stock",
    "customer",
    "empty_stock",
    "has_lines",
    "merge_stock",
    "missing_pieces",
    "order_lines",
    "sku",
]
