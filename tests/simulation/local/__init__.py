"""Processes of the local engine in the simulated cluster: `python -m tests.simulation --engine local`.

**What is real**: the engine with its sessions, restores, warm tasks and commits, and the adapters for Kafka: the feed, the
transactions and the membership in the consumer group (`adapters/kafka/streams/`), down to the calls of confluent-kafka.

**What is simulated**: as in the cluster of Spark, and the coordinator of the group with its members (`group.py`, `clients.py`).

**What goes wrong** (`schedule.py`): processes die at any request or at any time, or pause for longer than their session and come
back; processes are added; and everything that may happen to requests, coordinators and transactions.

**What must hold**: each result is in its topic once, in the order of an undisturbed run, and so is each dead letter; the
changelog ends with the state of all records; the group has the offsets behind the last records; and the run ends.
"""
