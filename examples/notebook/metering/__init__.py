"""Adds up the power that the households of a district draw, as reported by their meters."""
