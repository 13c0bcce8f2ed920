"""Trades and prices of shares."""
