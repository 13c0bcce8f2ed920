"""Sales, of which the large ones are reported to the person who made them."""

from eddyline.domain.sales.sale import LargeSale, Sale, SalesPerson

__all__ = ["LargeSale", "Sale", "SalesPerson"]
