"""Measures where the processor time of a record goes, from Kafka to Kafka on Spark."""
