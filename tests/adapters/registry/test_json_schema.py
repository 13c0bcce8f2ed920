import json
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from pydantic import TypeAdapter

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.registry.client import Registry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import SchemaRefusedError, UnknownSchemaError
from eddyline.adapters.registry.json_schema import JsonSchemaFormats
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Trade

TRADE = Trade("ASK", "MSFT", 12.5, 100)


def schema_of(hint: Any) -> dict[str, Any]:
    return TypeAdapter(hint).json_schema()


@pytest.fixture
def codecs(registry: Registry) -> RegistryCodecs:
    return RegistryCodecs(registry, JsonSchemaFormats(JsonCodecs(), schema_of))


def test_json_carries_the_id_of_its_schema(codecs: RegistryCodecs, registry: Registry, topic: str) -> None:
    codec = codecs.for_value(topic, Trade)
    data = codec.encode(TRADE)
    assert data is not None
    assert json.loads(data[5:]) == {"type": "ASK", "ticker": "MSFT", "price": 12.5, "size": 100}
    stored = registry.latest(f"{topic}-value")
    assert stored is not None
    assert (stored.kind, json.loads(stored.text)["title"]) == ("JSON", "Trade")
    assert codec.decode(data) == TRADE


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"type": "ASK"}', "its first byte is 123, not 0"),
        (b"\x00\x00\x0f\x42\x40{}", "schema id 1000000 is unknown"),
    ],
)
def test_json_without_a_known_schema_is_refused(codecs: RegistryCodecs, topic: str, data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message) as caught:
        codecs.for_value(topic, Trade).decode(data)
    assert isinstance(caught.value, UnknownSchemaError) is ("unknown" in message)


def test_json_that_is_not_of_the_type_is_refused(codecs: RegistryCodecs, topic: str) -> None:
    codec = codecs.for_value(topic, Trade)
    data = codec.encode(TRADE) or b""
    with pytest.raises(CodecError, match=f"the value of topic {topic} cannot be read: "):
        codec.decode(data[:5] + b'{"type": 1}')


def test_a_schema_that_does_not_go_with_the_older_one_is_refused(
    codecs: RegistryCodecs, schema_registry: RegistryService, topic: str
) -> None:
    @dataclass
    class Named:
        name: str

    @dataclass
    class Numbered:
        name: int

    codecs.for_value(topic, Named).register()
    SchemaRegistryClient({"url": schema_registry.url}).set_compatibility(f"{topic}-value", "BACKWARD")
    with pytest.raises(SchemaRefusedError, match="ncompatible"):
        codecs.for_value(topic, Numbered).register()
