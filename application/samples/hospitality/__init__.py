"""Hospitality: the flow hotel-reservations."""
