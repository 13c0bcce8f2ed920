"""Settings of producers that differ from librdkafka's defaults; the user's settings override them."""

from typing import Final

JAVA_PARTITIONER: Final = {"partitioner": "murmur2_random"}
"""The default partitioner of Java clients, so that both assign the same partition to a key."""

ONE_BY_ONE: Final = {"batch.num.messages": "1"}
"""Settings that send each record in a request of its own, to find out which one the brokers reject."""

BATCH_DEFAULTS: Final = {
    **JAVA_PARTITIONER,
    "retry.backoff.ms": "20",
    "linger.ms": "50",
    "compression.type": "lz4",
    "queue.buffering.max.kbytes": "65536",
    "message.max.bytes": "60000000",
}
"""Defaults for writing whole batches.

A batch is flushed at its end, so lingering delays nothing, and large, compressed requests halve the work of the brokers.
A transaction that begins while the brokers still write the markers of the one before is refused for some milliseconds, and
librdkafka would wait 100 ms before it tries again. The size of a record is limited by its topic (`max.message.bytes`) and by
the buffer; the client alone would stop at 1 MB.
"""
