import json
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from pydantic import TypeAdapter

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import SchemaRefusedError, UnknownSchemaError
from eddyline.adapters.registry.json_schema import JsonSchemaFormats
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import Names
from tests.adapters.avro.models import Trade

TRADE = Trade("ASK", "MSFT", 12.5, 100)


def schema_of(hint: Any, _names: Names) -> dict[str, Any]:
    return TypeAdapter(hint).json_schema()


@pytest.fixture
def codecs(registry: SchemaRegistry) -> RegistryCodecs:
    return RegistryCodecs(registry, JsonSchemaFormats(JsonCodecs(), schema_of))


def test_json_has_a_prefix_with_the_id_of_its_schema(codecs: RegistryCodecs, registry: SchemaRegistry, topic: str) -> None:
    codec = codecs.for_value(topic, Trade)
    data = codec.encode(TRADE)
    assert data is not None
    assert json.loads(data[5:]) == {"type": "ASK", "ticker": "MSFT", "price": 12.5, "size": 100}
    stored = registry.get_latest_schema(f"{topic}-value")
    assert stored is not None
    assert (stored.schema_type, json.loads(stored.text)["title"]) == ("JSON", "Trade")
    assert codec.decode(data) == TRADE


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"type": "ASK"}', "its first byte is 123, not 0"),
        (b"\x00\x00\x0f\x42\x40{}", "schema id 1000000 is unknown"),
    ],
)
def test_json_without_a_registered_schema_is_an_error(codecs: RegistryCodecs, topic: str, data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message) as caught:
        codecs.for_value(topic, Trade).decode(data)
    assert isinstance(caught.value, UnknownSchemaError) is ("unknown" in message)


def test_json_of_another_type_is_an_error(codecs: RegistryCodecs, topic: str) -> None:
    codec = codecs.for_value(topic, Trade)
    data = codec.encode(TRADE) or b""
    with pytest.raises(CodecError, match=f"cannot decode the value of topic '{topic}': "):
        codec.decode(data[:5] + b'{"type": 1}')


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
    SchemaRegistryClient({"url": schema_registry.url}).set_compatibility(f"{topic}-value", "BACKWARD")
    with pytest.raises(SchemaRefusedError, match="ncompatible"):
        codecs.for_value(topic, Numbered).register_schema()


@dataclass
class Node:
    children: "list[Node]"


def test_the_record_name_is_the_title_of_the_schema_or_of_the_definition_that_it_refers_to() -> None:
    context = SerializationContext("t", "value")
    formats = JsonSchemaFormats(JsonCodecs(quoted=True), json_schema_of)
    assert formats(context, Trade).record_name == "Trade"
    assert formats(context, Node).record_name == "Node"
    assert formats(context, list[Node]).record_name is None
