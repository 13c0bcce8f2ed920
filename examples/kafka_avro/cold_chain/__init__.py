"""Raises an alarm when the load of a refrigerated truck gets too warm."""
