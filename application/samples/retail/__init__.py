"""Retail: the flows inventory, cdc-table, product-counter, shoe-store and weekly-products."""
