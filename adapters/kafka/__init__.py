"""Kafka as event log and event sink, and its topics and groups, by confluent-kafka; other rooms never see a client object."""
