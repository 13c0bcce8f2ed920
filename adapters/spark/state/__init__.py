"""The state of tasks in Spark's state store."""
