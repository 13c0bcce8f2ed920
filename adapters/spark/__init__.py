"""Runs topologies on Spark Structured Streaming: the same tasks as in memory, at scale. Only this folder imports pyspark."""
