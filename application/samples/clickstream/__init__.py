"""Clickstream: the flows clickstream, popular-products and product-counter."""
