"""Protobuf with the real schema registry, and with Confluent's serializer and deserializer."""

import tracemalloc
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, header_schema_id_serializer, topic_subject_name_strategy
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from eddyline.adapters.protobuf.format import ProtobufFormat, ProtobufFormats
from eddyline.adapters.protobuf.schemas import file_of_text, main_message
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.compatibility import IncompatibleSchemasError
from eddyline.adapters.registry.errors import SchemaRefusedError
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import CodecError, TopicTypes
from tests.adapters.protobuf.models import Side
from tests.adapters.registry.conftest import FakeRegistry, registry_at
from tests.adapters.registry.in_memory import InMemorySchemaRegistry


@dataclass
class Trade:
    ticker: str
    price: float
    side: Side = Side.BUY
    size: int | None = None


TRADE = Trade("MSFT", 12.5, Side.SELL, 100)
PLAIN = {"ticker": "MSFT", "price": 12.5, "side": "SIDE_SELL", "size": "100"}
SCHEMA = ProtobufFormat(Trade).schema_text
THEIRS: Any = GetMessageClass(main_message(file_of_text(SCHEMA), None))
CONFIG = {"subject.name.strategy": topic_subject_name_strategy}


class SerializedSchemas(SchemaRegistryClient):
    """Returns schemas as the deserializer asks for them, in Base64; the registry of the tests answers with text that is none."""

    def get_schema(self, schema_id: int, *_args: Any, **_options: Any) -> Schema:
        file = FileDescriptorProto()
        file_of_text(super().get_schema(schema_id).schema_str).CopyToProto(file)
        return Schema(b64encode(file.SerializeToString()).decode(), "PROTOBUF")


@pytest.fixture
def codecs(registry: SchemaRegistry) -> RegistryCodecs:
    return RegistryCodecs(registry, ProtobufFormats())


def test_confluents_serializer_and_deserializer_have_the_same_format(
    codecs: RegistryCodecs, schema_registry: RegistryService, topic: str
) -> None:
    context = SerializationContext(topic, MessageField.VALUE)
    client = SchemaRegistryClient({"url": schema_registry.url})
    codec = codecs.for_value(topic, Trade)
    data = codec.encode(TRADE)
    assert data is not None
    assert data[:6] == b"\x00" + codec.register_schema().to_bytes(4, "big") + b"\x00"
    message = ProtobufDeserializer(THEIRS, CONFIG, SerializedSchemas({"url": schema_registry.url}))(data, context)
    assert MessageToDict(message) == PLAIN
    theirs = ProtobufSerializer(THEIRS, client, CONFIG)(ParseDict(PLAIN, THEIRS()), context)
    assert codec.decode(theirs) == TRADE
    assert codecs.for_value(topic, Any).decode(theirs) == {**PLAIN, "size": 100}


@dataclass(frozen=True)
class Price:
    amount: float
    currency: str = "eur"


@dataclass(frozen=True)
class Sale:
    shop: str
    price: Price


def test_a_message_of_a_schema_that_imports_another_is_read(
    codecs: RegistryCodecs, schema_registry: RegistryService, topic: str
) -> None:
    price = 'syntax = "proto3"; package money; message Price { double amount = 1; string currency = 2; }'
    sale = 'syntax = "proto3"; import "common/money.proto"; message Sale { string shop = 1; money.Price price = 2; }'
    message: Any = GetMessageClass(main_message(file_of_text(sale, (("common/money.proto", price),)), None))
    serialize = ProtobufSerializer(message, SchemaRegistryClient({"url": schema_registry.url}), CONFIG)
    sent = message(shop="x", price={"amount": 2.5, "currency": "usd"})
    data = serialize(sent, SerializationContext(topic, MessageField.VALUE))
    assert codecs.for_value(topic, Sale).decode(data) == Sale("x", Price(2.5, "usd"))
    assert codecs.for_value(topic, Any).decode(data) == {"shop": "x", "price": {"amount": 2.5, "currency": "usd"}}


def test_the_registry_refuses_an_incompatible_schema(
    codecs: RegistryCodecs, schema_registry: RegistryService, topic: str
) -> None:
    @dataclass
    class Named:
        name: str

    @dataclass
    class Numbered:
        name: int

    codecs.for_value(topic, Named).register_schema()
    assert codecs.for_value(topic, Named).incompatibilities_with_latest() == ()
    Numbered.__name__ = "Named"
    (reason,) = codecs.for_value(topic, Numbered).incompatibilities_with_latest()
    assert reason == "name: expected int, found string in the writer's schema"
    SchemaRegistryClient({"url": schema_registry.url}).set_compatibility(f"{topic}-value", "BACKWARD")
    with pytest.raises(SchemaRefusedError, match="ncompatible"):
        codecs.for_value(topic, Numbered).register_schema()


def test_the_schema_id_and_the_message_indexes_may_be_in_a_header(fake: FakeRegistry) -> None:
    guid, schema = "89791762-2336-4186-9674-299b90a802e2", ProtobufFormat(Trade).schema_text
    fake.answers["*"] = (200, {"id": 7, "guid": guid, "schema": schema, "schemaType": "PROTOBUF"})
    headers: list[tuple[str, Any]] = []
    conf: dict[str, Any] = {**CONFIG, "schema.id.serializer": header_schema_id_serializer}
    serializer: Callable[..., bytes] = ProtobufSerializer(THEIRS, SchemaRegistryClient({"url": fake.url}), conf)
    data = serializer(ParseDict(PLAIN, THEIRS()), SerializationContext("t", MessageField.VALUE, headers))
    codec = RegistryCodecs(registry_at(fake.url), ProtobufFormats()).for_value("t", Trade)
    assert headers[0][1][-1:] == b"\x00"
    assert codec.decode(data, tuple(headers)) == TRADE
    with pytest.raises(CodecError, match="expected 17 bytes and the message indexes, found 17"):
        codec.decode(data, ((headers[0][0], headers[0][1][:17]),))


def test_headers_with_other_indexes_share_the_schema_and_are_not_kept(fake: FakeRegistry) -> None:
    fake.answers["*"] = (200, {"id": 7, "schema": SCHEMA, "schemaType": "PROTOBUF"})
    codec = RegistryCodecs(registry_at(fake.url), ProtobufFormats()).for_value("t", Trade)
    data, schema_id = ProtobufFormat(Trade).encode(TRADE, b"")[1:], b"\x00\x00\x00\x00\x07"
    assert codec.decode(data, (("__value_schema_id", schema_id + b"\x00"),)) == TRADE
    tracemalloc.start()
    for number in range(200):
        with pytest.raises(CodecError, match="message index"):
            codec.decode(data, (("__value_schema_id", schema_id + b"\x01" + number.to_bytes(50_000, "big")),))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 200 * 50_000 / 4
    assert fake.requests.count("/schemas/ids/7") == 1


def test_a_flow_that_writes_values_of_any_type_does_not_start() -> None:
    codecs = RegistryCodecs(InMemorySchemaRegistry(), ProtobufFormats())
    codecs.check([TopicTypes("any", None, Any)], [])
    with pytest.raises(IncompatibleSchemasError, match="value of topic 'any': Protobuf cannot represent values of any type"):
        codecs.check([], [TopicTypes("any", None, Any)])


def test_a_garbage_schema_makes_dead_letters() -> None:
    registry = InMemorySchemaRegistry()
    schema_id = registry.register_schema("garbage-value", "PROTOBUF", "message {")
    codec = RegistryCodecs(registry, ProtobufFormats()).for_value("garbage", Trade)
    codecs = RegistryCodecs(registry, ProtobufFormats())
    codecs.check([TopicTypes("garbage", None, Trade)], [])
    with pytest.raises(CodecError, match=r"the schema is invalid: schema\.proto:1:"):
        codec.decode(b"\x00" + schema_id.to_bytes(4, "big") + b"\x00")
