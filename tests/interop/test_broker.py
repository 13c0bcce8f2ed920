"""Through a real broker: Java consumes what Eddyline encodes, and Eddyline decodes what Java produces."""

import json
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from eddyline.adapters.avro.schema import schema_for
from eddyline.adapters.codecs.windowed import TimeWindowedCodec
from eddyline.adapters.primitive.codec import CODECS
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.services.broker import Broker
from eddyline.application.topology.windows import Window, Windowed
from tests.adapters.avro.models import Trade
from tests.interop.peer import JavaPeer, Serde

SIZE = 5_000
WINDOWED = {"type": "time-windowed", "inner": {"type": "string"}, "sizeMs": SIZE}
KEYS = TimeWindowedCodec(CODECS["string"][1], SIZE)
RECORDS = [(Windowed(f"T{n}", Window(n * 1_000, n * 1_000 + SIZE)), Trade("ASK", f"T{n}", n / 4, n)) for n in range(50)]


@pytest.fixture
def existing_topic(kafka_broker: Broker, topic: str) -> str:
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    admin.create_topics([NewTopic(topic, num_partitions=3)])[topic].result(30)
    return topic


def as_json(key: Windowed[str], trade: Trade) -> dict[str, Any]:
    value = {"type": trade.type, "ticker": trade.ticker, "price": trade.price, "size": trade.size}
    return {"key": {"key": key.key, "start": key.window.start, "end": key.window.end}, "value": value}


def test_java_consumes_what_eddyline_encodes(
    java: JavaPeer, kafka_broker: Broker, avro: RegistryCodecs, avro_serde: Serde, existing_topic: str
) -> None:
    topic = existing_topic
    values = avro.for_value(topic, Trade)
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for key, trade in RECORDS:
        producer.produce(topic, key=KEYS.encode(key), value=values.encode(trade))
    assert producer.flush(120) == 0
    request = {"bootstrap": kafka_broker.bootstrap_servers, "topic": topic, "group": f"{topic}-java", "count": len(RECORDS)}
    found = java.request("consume", **request, key=WINDOWED, value=avro_serde)["records"]
    assert sorted(found, key=str) == sorted((as_json(*record) for record in RECORDS), key=str)


def test_eddyline_decodes_what_java_produces(
    java: JavaPeer, kafka_broker: Broker, avro: RegistryCodecs, avro_serde: Serde, existing_topic: str
) -> None:
    topic = existing_topic
    serde = {**avro_serde, "schema": json.dumps(schema_for(Trade))}
    records = [as_json(*record) for record in RECORDS]
    java.request("produce", bootstrap=kafka_broker.bootstrap_servers, topic=topic, key=WINDOWED, value=serde, records=records)
    values = avro.for_value(topic, Trade)
    settings = {
        "bootstrap.servers": kafka_broker.bootstrap_servers,
        "group.id": f"{topic}-eddyline",
        "auto.offset.reset": "earliest",
    }
    consumer = Consumer(settings)
    consumer.subscribe([topic])
    found = []
    for message in consumer.consume(len(RECORDS), timeout=60):
        assert message.error() is None
        found.append((KEYS.decode(message.key()), values.decode(message.value())))
    consumer.close()
    assert sorted(found, key=str) == sorted(RECORDS, key=str)
