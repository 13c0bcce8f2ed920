import json
import pickle
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.registry.client import Registry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import NoSchemaError, SchemaRefusedError, UnknownSchemaError
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Leg, Node, Side, Trade
from tests.adapters.registry.conftest import FakeRegistry, registry_at

TRADE = Trade("ASK", "MSFT", 12.5, 100)
GUID = "89791762-2336-4186-9674-299b90a802e2"
GUID_HEADER = b"\x01" + bytes.fromhex(GUID.replace("-", ""))


def test_a_value_comes_back_through_the_registry(avro: RegistryCodecs, registry: Registry, topic: str) -> None:
    data = avro.for_value(topic, Trade).encode(TRADE)
    assert data is not None
    assert data[0] == 0
    stored = registry.latest(f"{topic}-value")
    assert stored is not None
    assert json.loads(stored.text)["name"] == "Trade"
    assert avro.for_value(topic, Trade).decode(data) == TRADE


def test_keys_have_a_subject_of_their_own(avro: RegistryCodecs, registry: Registry, topic: str) -> None:
    codec = avro.for_key(topic, str)
    assert codec.decode(codec.encode("MSFT")) == "MSFT"
    assert registry.latest(f"{topic}-key") is not None
    assert registry.latest(f"{topic}-value") is None


def test_nothing_is_nothing_and_asks_nobody(topic: str) -> None:
    codec = RegistryCodecs(registry_at("http://127.0.0.1:1"), AvroFormats()).for_value(topic, Trade)
    assert codec.encode(None) is None
    assert codec.decode(None) is None


def test_the_type_of_a_topic_may_be_optional(avro: RegistryCodecs, topic: str) -> None:
    codec = avro.for_value(topic, Trade | None)
    assert codec.subject == f"{topic}-value"
    assert codec.decode(codec.encode(TRADE)) == TRADE


def test_codecs_can_be_sent_to_where_they_are_used(avro: RegistryCodecs, topic: str) -> None:
    codec = pickle.loads(pickle.dumps(avro)).for_value(topic, Trade)
    data = codec.encode(TRADE)
    assert pickle.loads(pickle.dumps(codec)).decode(data) == TRADE


def test_state_stands_on_no_registry(registry: Registry) -> None:
    with pytest.raises(TypeError, match="state cannot depend on a schema registry; choose another format"):
        RegistryCodecs(registry, AvroFormats()).for_state(Trade)
    codec = RegistryCodecs(registry_at("http://127.0.0.1:1"), AvroFormats(), state=JsonCodecs()).for_state(Trade)
    assert codec.decode(codec.encode(TRADE)) == TRADE


@pytest.mark.parametrize(
    ("strategy", "subject"), [("topic", "{topic}-value"), ("record", "{ns}.Trade"), ("topic-record", "{topic}-{ns}.Trade")]
)
def test_the_schema_stands_where_the_strategy_says(
    schema_registry: RegistryService, topic: str, strategy: str, subject: str
) -> None:
    registry = registry_at(schema_registry.url, **{"value.subject.name.strategy": strategy})
    namespace = topic.replace("-", "_")
    codec = RegistryCodecs(registry, AvroFormats(AvroOptions(namespace=namespace))).for_value(topic, Trade)
    codec.encode(TRADE)
    assert registry.latest(subject.format(topic=topic, ns=namespace)) is not None


def test_a_strategy_by_record_refuses_what_is_no_record(schema_registry: RegistryService, topic: str) -> None:
    registry = registry_at(schema_registry.url, **{"key.subject.name.strategy": "record"})
    with pytest.raises(NoSchemaError, match=f"the keys of {topic} are no records"):
        RegistryCodecs(registry, AvroFormats()).for_key(topic, str).encode("a")


def test_the_registry_is_asked_once_for_a_schema(fake: FakeRegistry) -> None:
    fake.answers["/schemas/ids/7"] = (200, {"schema": AvroFormats()("t", "value", Trade).schema_text})
    fake.answers["/subjects/t-value/versions"] = (200, {"id": 7})
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("t", Trade)
    for _ in range(3):
        assert codec.decode(codec.encode(TRADE)) == TRADE
    assert fake.asked == ["/subjects/t-value/versions", "/schemas/ids/7"]


def test_an_unknown_id_is_the_records_fault_and_not_asked_for_again_at_once(fake: FakeRegistry) -> None:
    fake.answers["/schemas/ids/9"] = (404, {"error_code": 40403, "message": "Schema 9 not found"})
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("t", Trade)
    for _ in range(3):
        with pytest.raises(
            UnknownSchemaError, match="the value of topic t cannot be read: schema id 9 is unknown to the registry"
        ):
            codec.decode(b"\x00\x00\x00\x00\x09abc")
    assert fake.asked == ["/schemas/ids/9"]


def test_an_id_that_becomes_known_is_read_after_a_while(fake: FakeRegistry) -> None:
    form = AvroFormats()("t", "value", Trade)
    registry = registry_at(fake.url, **{"unknown.schema.retry.ms": 0})
    codec = RegistryCodecs(registry, AvroFormats()).for_value("t", Trade)
    data = form.payload(TRADE, b"\x00\x00\x00\x00\x09")
    fake.answers["/schemas/ids/9"] = (404, {"error_code": 40403, "message": "Schema 9 not found"})
    with pytest.raises(UnknownSchemaError):
        codec.decode(data)
    fake.answers["/schemas/ids/9"] = (200, {"schema": form.schema_text})
    assert codec.decode(data) == TRADE


def test_an_unknown_id_at_the_real_registry(avro: RegistryCodecs, topic: str) -> None:
    with pytest.raises(UnknownSchemaError, match="schema id 1000000 is unknown"):
        avro.for_value(topic, Trade).decode(b"\x00\x00\x0f\x42\x40abc")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"\x00\x00", "it ends within the schema id"),
        (b'{"type": "ASK"}', "its first byte is 123, not 0"),
    ],
)
def test_bytes_without_a_schema_are_refused_before_anybody_is_asked(fake: FakeRegistry, data: bytes, message: str) -> None:
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("trades", Trade)
    with pytest.raises(CodecError, match=f"the value of topic trades cannot be read: {message}"):
        codec.decode(data)
    assert fake.asked == []


def test_truncated_and_overlong_values_are_refused(avro: RegistryCodecs, topic: str) -> None:
    codec = avro.for_value(topic, Trade)
    data = codec.encode(TRADE) or b""
    with pytest.raises(CodecError, match=f"the value of topic {topic} cannot be read: it ends too early"):
        codec.decode(data[:-1])
    with pytest.raises(CodecError, match="1 bytes are left after the value"):
        codec.decode(data + b"\x00")


def test_a_value_of_another_type_is_refused_with_the_reason(avro: RegistryCodecs, topic: str) -> None:
    data = avro.for_value(f"{topic}-nodes", Node).encode(Node("a"))
    codec = avro.for_value(topic, Trade)
    for _ in range(2):
        with pytest.raises(
            CodecError, match=r"schema id \d+ is not ours: expected the record eddyline\.Trade, .* eddyline\.Node"
        ):
            codec.decode(data)


def test_a_value_with_a_schema_of_another_kind_is_refused(avro: RegistryCodecs, registry: Registry, topic: str) -> None:
    schema_id = registry.register(f"{topic}-json-value", "JSON", '{"type": "object", "properties": {}}')
    with pytest.raises(CodecError, match=f"schema id {schema_id} is of the kind JSON, not AVRO"):
        avro.for_value(topic, Trade).decode(b"\x00" + schema_id.to_bytes(4, "big") + b"{}")


def test_what_cannot_be_written_is_told_with_its_place(avro: RegistryCodecs, topic: str) -> None:
    with pytest.raises(CodecError, match=f"the value of topic {topic} cannot be written: price: expected float, not str"):
        avro.for_value(topic, Trade).encode(Trade("ASK", "A", "dear"))  # type: ignore[arg-type]


def test_a_schema_by_its_guid_in_a_header(fake: FakeRegistry) -> None:
    form = AvroFormats()("t", "value", Trade)
    fake.answers[f"/schemas/guids/{GUID}"] = (200, {"schema": form.schema_text, "guid": GUID})
    codec = RegistryCodecs(registry_at(fake.url), AvroFormats()).for_value("t", Trade)
    data = form.payload(TRADE, b"")
    headers = (("trace", b"1"), ("__value_schema_id", GUID_HEADER), ("__key_schema_id", b"not for values"))
    for _ in range(2):
        assert codec.decode(data, headers) == TRADE
    assert codec.decode(GUID_HEADER + data) == TRADE
    with pytest.raises(CodecError, match="cannot be read: header __value_schema_id: it ends within the schema id"):
        codec.decode(data, (("__value_schema_id", b"\x01\x02"),))


def test_a_registry_without_guids_makes_the_record_wrong_not_the_registry_down(avro: RegistryCodecs, topic: str) -> None:
    with pytest.raises(UnknownSchemaError, match=f"schema GUID {GUID} is unknown to the registry"):
        avro.for_value(topic, Trade).decode(b"abc", (("__value_schema_id", GUID_HEADER),))


def test_a_schema_that_others_put_there_is_used_when_ours_may_not_be_put(schema_registry: RegistryService, topic: str) -> None:
    careful = RegistryCodecs(registry_at(schema_registry.url, **{"auto.register.schemas": False}), AvroFormats())
    with pytest.raises(SchemaRefusedError, match=r"does not have our schema and auto\.register\.schemas is false"):
        careful.for_value(topic, Trade).encode(TRADE)
    by_hand = SchemaRegistryClient({"url": schema_registry.url})
    schema_id = by_hand.register_schema(f"{topic}-value", Schema(AvroFormats()(topic, "value", Trade).schema_text, "AVRO"))
    data = careful.for_value(topic, Trade).encode(TRADE)
    assert data is not None
    assert int.from_bytes(data[1:5], "big") == schema_id


@dataclass
class Basket:
    owner: str
    leg: Leg


def test_a_schema_that_refers_to_another_subject_is_read(
    avro: RegistryCodecs, schema_registry: RegistryService, topic: str
) -> None:
    client = SchemaRegistryClient({"url": schema_registry.url})
    leg = AvroFormats()("t", "value", Leg).schema_text
    client.register_schema(f"{topic}-leg", Schema(leg, "AVRO"))
    fields = [{"name": "owner", "type": "string"}, {"name": "leg", "type": "eddyline.Leg"}]
    text = json.dumps({"type": "record", "name": "Basket", "namespace": "eddyline", "fields": fields})
    reference = SchemaReference("eddyline.Leg", f"{topic}-leg", 1)
    schema_id = client.register_schema(f"{topic}-value", Schema(text, "AVRO", [reference]))
    basket = Basket("me", Leg(Decimal(3), ("a",)))
    data = AvroFormats()("t", "value", Basket).payload(basket, b"\x00" + schema_id.to_bytes(4, "big"))
    assert avro.for_value(topic, Basket).decode(data) == basket


@pytest.mark.parametrize("value", ["text", 7, 2.5, True, b"raw", Side.SELL, {"a": [1, None]}])
def test_single_values_have_schemas_too(avro: RegistryCodecs, topic: str, value: Any) -> None:
    codec = avro.for_value(topic, type(value))
    assert codec.decode(codec.encode(value)) == value
