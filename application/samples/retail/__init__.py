"""Stores, their stock and their customers."""
