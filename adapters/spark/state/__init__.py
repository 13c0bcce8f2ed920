"""The state of tasks: entries in memory, and their chunks in Spark's state store."""
