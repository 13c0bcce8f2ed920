"""Retail: the flows inventory, cdc-table and product-counter."""
