"""Runs topologies on Spark Structured Streaming, with the same tasks as in memory. Only this package imports pyspark."""
