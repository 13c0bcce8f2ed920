"""The start of Spark's Python processes."""
