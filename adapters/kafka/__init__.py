"""Adapters for Apache Kafka, built on confluent-kafka; client objects never leave this package."""
