"""How Spark's Python processes start."""
