"""Compatibility with Confluent's serializers and deserializers."""

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka.schema_registry import (
    SchemaRegistryClient,
    header_schema_id_serializer,
    topic_subject_name_strategy,
)
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from eddyline.adapters.avro.format import AvroFormat, AvroFormats
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.services.registry import Registry as RegistryService
from tests.adapters.avro.models import Trade
from tests.adapters.registry.conftest import FakeRegistry, registry_at

TRADE = Trade("ASK", "MSFT", 12.5, 100)
PLAIN = {"type": "ASK", "ticker": "MSFT", "price": 12.5, "size": 100}
SCHEMA = AvroFormat(Trade).schema_text
CONFIG = {"subject.name.strategy": topic_subject_name_strategy}


@pytest.fixture
def client(schema_registry: RegistryService) -> SchemaRegistryClient:
    return SchemaRegistryClient({"url": schema_registry.url})


def test_confluents_deserializer_decodes_our_data(client: SchemaRegistryClient, avro: RegistryCodecs, topic: str) -> None:
    data = avro.for_value(topic, Trade).encode(TRADE)
    context = SerializationContext(topic, MessageField.VALUE)
    assert AvroDeserializer(client, conf=CONFIG)(data, context) == PLAIN


def test_our_codec_decodes_data_of_confluents_serializer(client: SchemaRegistryClient, avro: RegistryCodecs, topic: str) -> None:
    context = SerializationContext(topic, MessageField.VALUE)
    data = AvroSerializer(client, SCHEMA, conf=CONFIG)(PLAIN, context)
    assert avro.for_value(topic, Trade).decode(data) == TRADE
    assert data == avro.for_value(topic, Trade).encode(TRADE)


@pytest.mark.parametrize("field", [MessageField.KEY, MessageField.VALUE])
def test_our_codec_decodes_data_of_confluents_serializer_with_the_schema_id_in_a_header(
    fake: FakeRegistry, field: MessageField
) -> None:
    guid = "89791762-2336-4186-9674-299b90a802e2"
    fake.answers["*"] = (200, {"id": 7, "guid": guid, "schema": SCHEMA})
    headers: list[tuple[str, Any]] = []
    conf: dict[str, Any] = {**CONFIG, "schema.id.serializer": header_schema_id_serializer}
    serializer: Callable[..., bytes] = AvroSerializer(SchemaRegistryClient({"url": fake.url}), SCHEMA, conf=conf)
    data = serializer(PLAIN, SerializationContext("t", field, headers))
    fake.answers = {f"/schemas/guids/{guid}": (200, {"schema": SCHEMA})}
    codecs = RegistryCodecs(registry_at(fake.url), AvroFormats())
    codec = codecs.for_key("t", Trade) if field == MessageField.KEY else codecs.for_value("t", Trade)
    assert headers[0][0] == f"__{field}_schema_id"
    assert codec.decode(data, tuple(headers)) == TRADE
