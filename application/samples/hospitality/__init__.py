"""Reservations of hotel guests."""
