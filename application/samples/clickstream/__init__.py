"""Clickstream: the flows clickstream, popular-products, search-results and user-360."""
