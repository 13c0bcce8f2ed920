"""Benchmarks beside other systems: the same work, from Kafka to Kafka, each program in a process of its own, in one run."""
