"""What programs rely on in a registry; that in memory, which other tests use, does it as a real one does."""

from collections.abc import Iterator
from dataclasses import field, make_dataclass

import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.registry.errors import SchemaRefusedError, UnknownSchemaError
from eddyline.adapters.registry.wire_format import SchemaId
from tests.adapters.registry.conftest import Registries, registries_of
from tests.adapters.registry.in_memory import InMemorySchemaRegistry

PLAIN = make_dataclass("Trade", [("ticker", str)])
SIZED = make_dataclass("Trade", [("ticker", str), ("size", int)])
SIZED_BY_DEFAULT = make_dataclass("Trade", [("ticker", str), ("size", int, field(default=7))])
NAMED = make_dataclass("Trade", [("ticker", str), ("size", str, field(default="none"))])
TYPES = {"plain": PLAIN, "sized": SIZED, "default": SIZED_BY_DEFAULT, "named": NAMED}
TEXTS = {name: AvroFormat(kind).schema_text for name, kind in TYPES.items()}

LATER = {"default plain named", "named plain default"}
REFUSED = {
    "NONE": set[str](),
    "BACKWARD": {"plain sized"},
    "BACKWARD_TRANSITIVE": {"plain sized", *LATER},
    "FORWARD": {"sized plain"},
    "FORWARD_TRANSITIVE": {"sized plain", *LATER},
    "FULL": {"plain sized", "sized plain"},
    "FULL_TRANSITIVE": {"plain sized", "sized plain", *LATER},
}
"""The versions of a subject of which each level refuses the last one."""
VERSIONS = sorted({"plain default", "default plain", *REFUSED["FULL_TRANSITIVE"]})


@pytest.fixture(scope="module", params=["memory", pytest.param("real", marks=pytest.mark.services)])
def registries(request: pytest.FixtureRequest) -> Iterator[Registries]:
    InMemorySchemaRegistry.judge(*TYPES.values())
    yield from registries_of(request.param, request)


def test_a_schema_that_is_registered_again_has_the_same_id(registries: Registries, topic: str) -> None:
    first, second = registries.clients
    schema_id = first.register_schema(topic, "AVRO", TEXTS["plain"])
    assert second.register_schema(topic, "AVRO", TEXTS["plain"]) == schema_id
    assert second.register_schema(topic, "AVRO", TEXTS["default"]) != schema_id
    assert first.register_schema(topic, "AVRO", TEXTS["plain"]) == schema_id
    assert second.lookup_schema(topic, "AVRO", TEXTS["plain"]) == schema_id


def test_a_schema_is_known_by_its_id_and_as_the_latest_of_its_subject(registries: Registries, topic: str) -> None:
    first, second = registries.clients
    assert (second.get_latest_schema(topic), second.get_latest_schema_id(topic)) == (None, None)
    ids = {name: first.register_schema(topic, "AVRO", TEXTS[name]) for name in ("plain", "default")}
    for name, schema_id in ids.items():
        found = second.get_schema(SchemaId(schema_id))
        assert found.schema_type == "AVRO"
        assert AvroFormat(TYPES[name]).incompatibilities(found.text) == ()
    assert second.get_latest_schema(topic) == second.get_schema(SchemaId(ids["default"]))
    assert second.get_latest_schema_id(topic) == ids["default"]


def test_what_was_not_registered_is_unknown(registries: Registries, topic: str) -> None:
    client, _ = registries.clients
    with pytest.raises(UnknownSchemaError, match="schema id 1000000 is unknown to the schema registry"):
        client.get_schema(SchemaId(1_000_000))
    with pytest.raises(SchemaRefusedError, match=f"subject '{topic}' does not have the schema"):
        client.lookup_schema(topic, "AVRO", TEXTS["plain"])


@pytest.mark.parametrize("versions", VERSIONS)
@pytest.mark.parametrize("level", REFUSED)
def test_a_level_of_compatibility_refuses_what_it_says(registries: Registries, topic: str, level: str, versions: str) -> None:
    client, _ = registries.clients
    *earlier, last = versions.split()
    for name in earlier:
        client.register_schema(topic, "AVRO", TEXTS[name])
    registries.set_level(topic, level)
    if versions in REFUSED[level]:
        with pytest.raises(SchemaRefusedError, match=f"subject '{topic}' refuses the schema: .*[Ii]ncompatible"):
            client.register_schema(topic, "AVRO", TEXTS[last])
    else:
        assert client.register_schema(topic, "AVRO", TEXTS[last]) > 0
