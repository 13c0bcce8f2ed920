"""Retail: the flows inventory and cdc-table."""
