"""Clickstream: the flows clickstream and popular-products."""
