"""Runs at the start of Spark's Python processes; the folder is the first entry of their module search path."""
