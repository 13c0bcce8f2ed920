"""Kafka for the local engine: records as they come, transactions of a process, and the group that shares the tasks."""
