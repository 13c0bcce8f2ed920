"""Writes readings to Kafka with Confluent's client and the producer's own schema: `python -m cold_chain.producer`."""

import argparse
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.schema_registry import SchemaRegistryClient, topic_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

SCHEMA = Path(__file__).parents[1] / "schemas/reading.avsc"
START = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
MINUTES = range(20)
DOORS_OPEN = range(5, 10)


def readings(seed: int = 1) -> Iterator[dict[str, Any]]:
    """Yield a reading per truck and minute; in some minutes, the doors of truck-2 are open."""
    random = Random(seed)
    for minute in MINUTES:
        for truck in ("truck-1", "truck-2", "truck-3"):
            celsius = 14.0 if truck == "truck-2" and minute in DOORS_OPEN else 4.0
            yield {
                "truck": truck,
                "celsius": round(celsius + random.uniform(-1, 1), 1),
                "takenAt": START + timedelta(minutes=minute),
                "firmware": "2.4.1",
            }


def create_topic(admin: AdminClient, topic: str) -> None:
    """Create a topic unless it exists; its records are kept without a time limit."""
    new = NewTopic(topic, num_partitions=3, config={"retention.ms": "-1"})
    try:
        admin.create_topics([new])[topic].result()
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise


def check_delivery(error: KafkaError | None, _message: Message) -> None:
    """Raise the error of a record that could not be written."""
    if error is not None:
        raise KafkaException(error)


def main() -> None:
    """Write the readings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topic", default="readings")
    arguments = parser.parse_args()
    registry = SchemaRegistryClient({"url": os.environ["EDDYLINE_SCHEMA_REGISTRY_URL"]})
    serialize = AvroSerializer(registry, SCHEMA.read_text(), conf={"subject.name.strategy": topic_subject_name_strategy})
    context = SerializationContext(arguments.topic, MessageField.VALUE)
    brokers = os.environ["EDDYLINE_BOOTSTRAP_SERVERS"]
    create_topic(AdminClient({"bootstrap.servers": brokers}), arguments.topic)
    producer = Producer({"bootstrap.servers": brokers, "on_delivery": check_delivery})
    written = 0
    for reading in readings():
        producer.produce(arguments.topic, key=reading["truck"], value=serialize(reading, context))
        written += 1
    producer.flush()
    print(f"{written} readings written to topic '{arguments.topic}'")


if __name__ == "__main__":
    main()
