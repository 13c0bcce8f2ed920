"""Prints the alarms up to the end of their topic, with Confluent's client: `python -m cold_chain.consumer`."""

import argparse
import os
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.schema_registry import SchemaRegistryClient, topic_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext


def alarms(topic: str) -> Iterator[dict[str, Any]]:
    """Yield the alarms that are in the topic now."""
    registry = SchemaRegistryClient({"url": os.environ["EDDYLINE_SCHEMA_REGISTRY_URL"]})
    deserialize = AvroDeserializer(registry, conf={"subject.name.strategy": topic_subject_name_strategy})
    context = SerializationContext(topic, MessageField.VALUE)
    consumer = Consumer(
        {
            "bootstrap.servers": os.environ["EDDYLINE_BOOTSTRAP_SERVERS"],
            "group.id": f"cold-chain-consumer-{uuid4()}",
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",  # without it, results of aborted transactions would be read too
            "enable.partition.eof": True,
        }
    )
    consumer.subscribe([topic])
    remaining = set(consumer.list_topics(topic, timeout=10).topics[topic].partitions)
    try:
        while remaining:
            message = consumer.poll(1)
            if message is None:
                continue
            error = message.error()
            if error is None:
                yield deserialize(message.value(), context)
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - public in spite of its name
                remaining.discard(message.partition())
            else:
                raise KafkaException(error)
    finally:
        consumer.close()


def main() -> None:
    """Print the alarms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topic", default="alarms")
    for alarm in alarms(parser.parse_args().topic):
        print(f"{alarm['start']:%H:%M} to {alarm['end']:%H:%M} {alarm['truck']}: {alarm['celsius']} °C")


if __name__ == "__main__":
    main()
