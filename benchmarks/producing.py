"""Prepares Kafka: its internal topics, and many records."""

from collections.abc import Iterable
from typing import NamedTuple

from confluent_kafka import Consumer, Producer, TopicPartition

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

_BATCHING = {"linger.ms": 20, "compression.type": "lz4", "partitioner": "murmur2_random", "enable.idempotence": True}


class Produced(NamedTuple):
    """A record to write; `timestamp` is in ms since the epoch, and partition -1 lets the hash of the key choose."""

    topic: str
    key: str | bytes | None
    value: str | bytes
    timestamp: int
    partition: int = -1


def produce(settings: KafkaSettings, records: Iterable[Produced]) -> None:
    """Write records in their order, and wait until the brokers have them; a full buffer makes it wait, too."""
    producer = Producer({**settings.producer(), **_BATCHING})
    for topic, key, value, timestamp, partition in records:
        while True:
            try:
                producer.produce(topic, value, key, timestamp=timestamp, partition=partition)
                break
            except BufferError:
                producer.poll(0.1)
    producer.flush()


def create_internal_topics(settings: KafkaSettings) -> None:
    """Let the brokers create their topics for transactions and offsets, so that no program is measured while they do."""
    name = "benchmarks"
    Topics(settings).create(name, 1)
    consumer = Consumer({**settings.consumer(), "group.id": name})
    producer = Producer({**settings.producer(), "transactional.id": name})
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.send_offsets_to_transaction([TopicPartition(name, 0, 0)], consumer.consumer_group_metadata(), 60)
    producer.abort_transaction(60)
    consumer.close()
