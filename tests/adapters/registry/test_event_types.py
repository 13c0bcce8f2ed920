"""Topics with several event types: a union of dataclasses with the subject name strategies record and topic-record."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient, record_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from eddyline.adapters.avro.format import AvroFormat, AvroFormats
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.compatibility import IncompatibleSchemasError
from eddyline.adapters.registry.format import FormatFactory
from eddyline.adapters.registry.json_schema import JsonSchemaFormats
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import CodecError, TopicTypes, UnsupportedTypeError
from tests.adapters.registry.conftest import registry_at

T = TypeVar("T")


@dataclass(frozen=True)
class Created:
    number: int
    shop: str = ""


@dataclass(frozen=True)
class Delivered:
    number: int
    carrier: str = ""


@dataclass(frozen=True)
class Express(Delivered):
    pass


@dataclass(frozen=True)
class Cancelled:
    number: int


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]


EVENTS: list[Any] = [Created(1, "north"), Delivered(2, "fast")]
AVRO = AvroFormats()
JSON = JsonSchemaFormats(JsonCodecs(quoted=True), json_schema_of)
FORMATS = pytest.mark.parametrize("formats", [AVRO, JSON], ids=["avro", "json-schema"])


@pytest.fixture
def connect(schema_registry: RegistryService, topic: str) -> Callable[[str], SchemaRegistry]:
    """Connects to the registry with the strategy for the values of the topic."""
    return lambda strategy: registry_at(schema_registry.url, **{f"value.subject.name.strategy.{topic}": strategy})


@FORMATS
@pytest.mark.parametrize("strategy", ["record", "topic-record"])
def test_each_event_type_is_written_and_read_with_its_own_schema(
    connect: Callable[[str], SchemaRegistry], topic: str, formats: FormatFactory, strategy: str
) -> None:
    registry = connect(strategy)
    codecs = RegistryCodecs(registry, formats)
    types = TopicTypes(topic, None, Created | Delivered | None)
    codecs.check([types], [types])
    codec = codecs.for_value(topic, Created | Delivered)
    data = [codec.encode(event) for event in EVENTS]
    assert [codec.decode(each) for each in data] == EVENTS
    assert [pickle.loads(pickle.dumps(codec)).decode(each) for each in data] == EVENTS
    assert (codec.encode(None), codec.decode(None)) == (None, None)
    namespace = "eddyline." if formats is AVRO else ""
    prefix = f"{topic}-" if strategy == "topic-record" else ""
    found = [registry.get_latest_schema_id(f"{prefix}{namespace}{name}") for name in ("Created", "Delivered")]
    assert found == [int.from_bytes(each[1:5], "big") for each in data if each is not None]
    codecs.check([types], [])


def test_a_subclass_is_refused_since_it_would_come_back_as_its_base(connect: Callable[[str], SchemaRegistry], topic: str) -> None:
    codec = RegistryCodecs(connect("topic-record"), AVRO).for_value(topic, Created | Delivered)
    with pytest.raises(CodecError, match="expected Delivered, found Express"):
        codec.encode(Express(3, "air"))


@FORMATS
def test_a_value_of_no_event_type_is_an_error(
    connect: Callable[[str], SchemaRegistry], topic: str, formats: FormatFactory
) -> None:
    codec = RegistryCodecs(connect("topic-record"), formats).for_value(topic, Created | Delivered)
    with pytest.raises(
        CodecError, match=rf"cannot encode the value of topic '{topic}': expected Created or Delivered, found 'x'|str 'x'"
    ):
        codec.encode("x")


def test_an_event_type_that_the_flow_does_not_read_is_an_error(connect: Callable[[str], SchemaRegistry], topic: str) -> None:
    codecs = RegistryCodecs(connect("topic-record"), AVRO)
    data = codecs.for_value(topic, Created | Cancelled).encode(Cancelled(1))
    with pytest.raises(CodecError, match=r"expected eddyline\.Created or eddyline\.Delivered, found record eddyline\.Cancelled"):
        codecs.for_value(topic, Created | Delivered).decode(data)


def test_each_event_type_is_checked_at_the_start(
    connect: Callable[[str], SchemaRegistry], schema_registry: RegistryService, topic: str
) -> None:
    other = AvroFormat(str).schema_text
    registry = connect("topic-record")
    registry.register_schema(f"{topic}-eddyline.Delivered", "AVRO", other)
    SchemaRegistryClient({"url": schema_registry.url}).set_compatibility(f"{topic}-eddyline.Delivered", "BACKWARD")
    types = TopicTypes(topic, None, Created | Delivered)
    with pytest.raises(IncompatibleSchemasError) as caught:
        RegistryCodecs(registry, AVRO).check([types], [types])
    first, second = str(caught.value).splitlines()
    assert f"the latest schema of subject '{topic}-eddyline.Delivered' is incompatible" in first
    assert f"subject '{topic}-eddyline.Delivered' refuses the schema" in second


def test_confluents_clients_read_and_write_event_types(schema_registry: RegistryService, topic: str) -> None:
    client = SchemaRegistryClient({"url": schema_registry.url})
    context = SerializationContext(topic, MessageField.VALUE)
    config = {"subject.name.strategy": record_subject_name_strategy}
    codec = RegistryCodecs(registry_at(schema_registry.url, **{"value.subject.name.strategy": "record"}), AVRO).for_value(
        topic, Created | Delivered
    )
    assert AvroDeserializer(client, conf=config)(codec.encode(EVENTS[0]), context) == {"number": 1, "shop": "north"}
    schema = AvroFormat(Delivered).schema_text
    data = AvroSerializer(client, schema, conf=config)({"number": 2, "carrier": "fast"}, context)
    assert codec.decode(data) == EVENTS[1]


def test_types_with_the_same_class_are_refused(topic: str) -> None:
    codecs = RegistryCodecs(registry_at("http://127.0.0.1:1", **{"value.subject.name.strategy": "record"}), AVRO)
    with pytest.raises(UnsupportedTypeError, match=r"have the class 'Page', which does not tell with which schema"):
        codecs.for_value(topic, Page[int] | Page[str])


def test_a_union_is_one_schema_where_subjects_are_named_after_topics(registry: SchemaRegistry, topic: str) -> None:
    codecs = RegistryCodecs(registry, AVRO)
    codec = codecs.for_value(topic, Created | Delivered)
    assert [codec.decode(codec.encode(event)) for event in EVENTS] == EVENTS
    assert registry.get_latest_schema(f"{topic}-value") is not None
