"""Producing records: in transactions, idempotently, or one by one with delivery reports."""
