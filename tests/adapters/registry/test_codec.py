import json
import pickle
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient

from eddyline.adapters.avro.format import AvroFormat, AvroFormats
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import SchemaRefusedError, SubjectNameError, UnknownSchemaError
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Leg, Node, Side, Trade
from tests.adapters.registry.conftest import FakeRegistry, registry_at

TRADE = Trade("ASK", "MSFT", 12.5, 100)
GUID = "89791762-2336-4186-9674-299b90a802e2"
GUID_HEADER = b"\x01" + bytes.fromhex(GUID.replace("-", ""))


def test_a_value_is_decoded_with_its_registered_schema(avro: RegistryCodecs, registry: SchemaRegistry, topic: str) -> None:
    data = avro.for_value(topic, Trade).encode(TRADE)
    assert data is not None
    assert data[0] == 0
    stored = registry.get_latest_schema(f"{topic}-value")
    assert stored is not None
    assert json.loads(stored.text)["name"] == "Trade"
    assert avro.for_value(topic, Trade).decode(data) == TRADE


def test_keys_have_their_own_subject(avro: RegistryCodecs, registry: SchemaRegistry, topic: str) -> None:
    codec = avro.for_key(topic, str)
    assert codec.decode(codec.encode("MSFT")) == "MSFT"
    assert registry.get_latest_schema(f"{topic}-key") is not None
    assert registry.get_latest_schema(f"{topic}-value") is None


def test_none_is_encoded_and_decoded_without_the_registry(topic: str) -> None:
    codec = RegistryCodecs(registry_at("http://127.0.0.1:1"), AvroFormats()).for_value(topic, Trade)
    assert codec.encode(None) is None
    assert codec.decode(None) is None


def test_a_type_may_be_optional(avro: RegistryCodecs, topic: str) -> None:
    codec = avro.for_value(topic, Trade | None)
    assert codec.subject == f"{topic}-value"
    assert codec.decode(codec.encode(TRADE)) == TRADE


def test_codecs_can_be_pickled(avro: RegistryCodecs, topic: str) -> None:
    codec = pickle.loads(pickle.dumps(avro)).for_value(topic, Trade)
    data = codec.encode(TRADE)
    assert pickle.loads(pickle.dumps(codec)).decode(data) == TRADE


def test_state_does_not_depend_on_the_registry(registry: SchemaRegistry) -> None:
    with pytest.raises(TypeError, match="state must not depend on a schema registry; choose another codec"):
        RegistryCodecs(registry, AvroFormats()).for_state(Trade)
    codec = RegistryCodecs(registry_at("http://127.0.0.1:1"), AvroFormats(), state=JsonCodecs()).for_state(Trade)
    assert codec.decode(codec.encode(TRADE)) == TRADE


@pytest.mark.parametrize(
    ("strategy", "subject"), [("topic", "{topic}-value"), ("record", "{ns}.Trade"), ("topic-record", "{topic}-{ns}.Trade")]
)
def test_the_schema_is_registered_under_the_subject_of_the_strategy(
    schema_registry: RegistryService, topic: str, strategy: str, subject: str
) -> None:
    registry = registry_at(schema_registry.url, **{"value.subject.name.strategy": strategy})
    namespace = topic.replace("-", "_")
    codec = RegistryCodecs(registry, AvroFormats(AvroOptions(namespace=namespace))).for_value(topic, Trade)
    codec.encode(TRADE)
    assert registry.get_latest_schema(subject.format(topic=topic, ns=namespace)) is not None


def test_a_record_name_strategy_needs_a_record(schema_registry: RegistryService, topic: str) -> None:
    registry = registry_at(schema_registry.url, **{"key.subject.name.strategy": "record"})
    with pytest.raises(SubjectNameError, match=f"needs the name of a record, but the keys of topic '{topic}' are no records"):
        RegistryCodecs(registry, AvroFormats()).for_key(topic, str).encode("a")


def test_a_schema_is_looked_up_once(fake: FakeRegistry) -> None:
    fake.answers["/schemas/ids/7"] = (200, {"schema": AvroFormat(Trade).schema_text})
    fake.answers["/subjects/t-value/versions"] = (200, {"id": 7})
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("t", Trade)
    for _ in range(3):
        assert codec.decode(codec.encode(TRADE)) == TRADE
    assert fake.requests == ["/subjects/t-value/versions", "/schemas/ids/7"]


def test_an_unknown_id_is_an_error_of_the_record_and_not_looked_up_again_at_once(fake: FakeRegistry) -> None:
    fake.answers["/schemas/ids/9"] = (404, {"error_code": 40403, "message": "Schema 9 not found"})
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("t", Trade)
    for _ in range(3):
        with pytest.raises(
            UnknownSchemaError, match="cannot decode the value of topic 't': schema id 9 is unknown to the schema registry"
        ):
            codec.decode(b"\x00\x00\x00\x00\x09abc")
    assert fake.requests == ["/schemas/ids/9"]


def test_an_unknown_id_is_looked_up_again_after_the_retry_time(fake: FakeRegistry) -> None:
    avro_format = AvroFormat(Trade)
    registry = registry_at(fake.url, **{"unknown.schema.retry.ms": 0})
    codec = RegistryCodecs(registry, AvroFormats()).for_value("t", Trade)
    data = avro_format.encode(TRADE, b"\x00\x00\x00\x00\x09")
    fake.answers["/schemas/ids/9"] = (404, {"error_code": 40403, "message": "Schema 9 not found"})
    with pytest.raises(UnknownSchemaError):
        codec.decode(data)
    fake.answers["/schemas/ids/9"] = (200, {"schema": avro_format.schema_text})
    assert codec.decode(data) == TRADE


def test_an_unknown_id_of_a_real_registry_is_an_error_of_the_record(avro: RegistryCodecs, topic: str) -> None:
    with pytest.raises(UnknownSchemaError, match="schema id 1000000 is unknown"):
        avro.for_value(topic, Trade).decode(b"\x00\x00\x0f\x42\x40abc")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the data is empty"),
        (b"\x00\x00", "the data ends within the schema id"),
        (b'{"type": "ASK"}', "the data does not begin with a schema id: its first byte is 123, not 0"),
    ],
)
def test_data_without_a_schema_id_is_an_error_without_a_request(fake: FakeRegistry, data: bytes, message: str) -> None:
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("trades", Trade)
    with pytest.raises(CodecError, match=f"cannot decode the value of topic 'trades': {message}"):
        codec.decode(data)
    assert fake.requests == []


def test_truncated_and_overlong_data_is_an_error(avro: RegistryCodecs, topic: str) -> None:
    codec = avro.for_value(topic, Trade)
    data = codec.encode(TRADE) or b""
    with pytest.raises(CodecError, match=f"cannot decode the value of topic '{topic}': the data ends too early"):
        codec.decode(data[:-1])
    with pytest.raises(CodecError, match="1 bytes are left after the value"):
        codec.decode(data + b"\x00")


def test_a_value_of_another_record_is_an_error_with_the_reason(avro: RegistryCodecs, topic: str) -> None:
    data = avro.for_value(f"{topic}-nodes", Node).encode(Node("a"))
    codec = avro.for_value(topic, Trade)
    for _ in range(2):
        with pytest.raises(
            CodecError,
            match=r"schema id \d+ is incompatible with the type of the flow: type: .* is record eddyline\.Node and has: name",
        ):
            codec.decode(data)


def test_a_value_with_another_type_of_schema_is_an_error(avro: RegistryCodecs, registry: SchemaRegistry, topic: str) -> None:
    schema_id = registry.register_schema(f"{topic}-json-value", "JSON", '{"type": "object", "properties": {}}')
    with pytest.raises(CodecError, match=f"schema id {schema_id}: expected a schema of type AVRO, found JSON"):
        avro.for_value(topic, Trade).decode(b"\x00" + schema_id.to_bytes(4, "big") + b"{}")


def test_an_encoding_error_has_the_topic_and_the_field(avro: RegistryCodecs, topic: str) -> None:
    with pytest.raises(CodecError, match=f"cannot encode the value of topic '{topic}': price: expected float, found str 'dear'"):
        avro.for_value(topic, Trade).encode(Trade("ASK", "A", "dear"))  # type: ignore[arg-type]


def test_a_schema_is_looked_up_by_the_guid_in_a_header(fake: FakeRegistry) -> None:
    avro_format = AvroFormat(Trade)
    fake.answers[f"/schemas/guids/{GUID}"] = (200, {"schema": avro_format.schema_text, "guid": GUID})
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("t", Trade)
    data = avro_format.encode(TRADE, b"")
    headers = (("trace", b"1"), ("__value_schema_id", GUID_HEADER), ("__key_schema_id", b"not for values"))
    for _ in range(2):
        assert codec.decode(data, headers) == TRADE
    assert codec.decode(GUID_HEADER + data) == TRADE
    with pytest.raises(CodecError, match="header '__value_schema_id': the data ends within the schema id"):
        codec.decode(data, (("__value_schema_id", b"\x01\x02"),))


def test_a_guid_is_unknown_to_a_registry_without_guids(avro: RegistryCodecs, topic: str) -> None:
    with pytest.raises(UnknownSchemaError, match=f"schema GUID {GUID} is unknown to the schema registry"):
        avro.for_value(topic, Trade).decode(b"abc", (("__value_schema_id", GUID_HEADER),))


def test_schemas_must_be_registered_already_without_auto_register(schema_registry: RegistryService, topic: str) -> None:
    codecs = RegistryCodecs(registry_at(schema_registry.url, **{"auto.register.schemas": False}), AvroFormats())
    with pytest.raises(SchemaRefusedError, match=r"does not have the schema and auto\.register\.schemas is false"):
        codecs.for_value(topic, Trade).encode(TRADE)
    client = SchemaRegistryClient({"url": schema_registry.url})
    schema_id = client.register_schema(f"{topic}-value", Schema(AvroFormat(Trade).schema_text, "AVRO"))
    data = codecs.for_value(topic, Trade).encode(TRADE)
    assert data is not None
    assert int.from_bytes(data[1:5], "big") == schema_id


@dataclass
class Basket:
    owner: str
    leg: Leg


def test_a_schema_may_refer_to_one_of_another_subject(avro: RegistryCodecs, schema_registry: RegistryService, topic: str) -> None:
    client = SchemaRegistryClient({"url": schema_registry.url})
    leg = AvroFormat(Leg).schema_text
    client.register_schema(f"{topic}-leg", Schema(leg, "AVRO"))
    fields = [{"name": "owner", "type": "string"}, {"name": "leg", "type": "eddyline.Leg"}]
    text = json.dumps({"type": "record", "name": "Basket", "namespace": "eddyline", "fields": fields})
    reference = SchemaReference("eddyline.Leg", f"{topic}-leg", 1)
    schema_id = client.register_schema(f"{topic}-value", Schema(text, "AVRO", [reference]))
    basket = Basket("me", Leg(Decimal(3), ("a",)))
    data = AvroFormat(Basket).encode(basket, b"\x00" + schema_id.to_bytes(4, "big"))
    assert avro.for_value(topic, Basket).decode(data) == basket


@pytest.mark.parametrize("value", ["text", 7, 2.5, True, b"raw", Side.SELL, {"a": [1, None]}])
def test_a_value_need_not_be_a_record(avro: RegistryCodecs, topic: str, value: Any) -> None:
    codec = avro.for_value(topic, type(value))
    assert codec.decode(codec.encode(value)) == value
