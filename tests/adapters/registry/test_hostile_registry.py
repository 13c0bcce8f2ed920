"""Whatever answers at the registry's URL, there is a value or one of the errors that the codec port defines."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormat, AvroFormats
from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import RegistryUnavailableError, UnknownSchemaError
from eddyline.application.ports.codec import CodecError, CodecUnavailableError, TopicTypes
from tests.adapters.avro.models import Trade
from tests.adapters.registry.conftest import FakeRegistry, registry_at

TRADE = Trade("ASK", "MSFT", 12.5, 100)
DATA = b"\x00\x00\x00\x00\x07abc"
SCHEMA = AvroFormat(Trade).schema_text


def codec_of(fake: FakeRegistry) -> RegistryCodec:
    registry = registry_at(fake.url, **{"max.retries": 0})
    return RegistryCodecs(registry, AvroFormats()).for_value("t", Trade)


@pytest.fixture(scope="module")
def shared_registry() -> Iterator[FakeRegistry]:
    fake = FakeRegistry()
    yield fake
    fake.close()


@pytest.mark.parametrize("schema_id", [0, -1, 2**31, 2**32 + 1, 10**400, "7", "\x1b[2J", 7.5, True, [], {}])
def test_an_id_that_is_no_positive_32_bit_integer_is_an_error(shared_registry: FakeRegistry, schema_id: Any) -> None:
    shared_registry.answers = {"*": (200, {"id": schema_id})}
    with pytest.raises(RegistryUnavailableError, match="is unavailable"):
        codec_of(shared_registry).encode(TRADE)


@pytest.mark.parametrize("schema_id", [1, 2**31 - 1])
def test_a_positive_32_bit_integer_is_an_id(shared_registry: FakeRegistry, schema_id: int) -> None:
    shared_registry.answers = {"*": (200, {"id": schema_id})}
    encoded = codec_of(shared_registry).encode(TRADE)
    assert encoded is not None
    assert int.from_bytes(encoded[1:5], "big") == schema_id


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"schema":' * 100_000, b'{"id": ' + b"9" * 10_000 + b"}"])
def test_an_answer_that_cannot_be_parsed_means_unavailable(shared_registry: FakeRegistry, body: bytes) -> None:
    shared_registry.answers = {"*": (200, body)}
    codec = codec_of(shared_registry)
    with pytest.raises(RegistryUnavailableError, match="unavailable"):
        codec.decode(DATA)
    with pytest.raises(RegistryUnavailableError, match="unavailable"):
        codec.encode(TRADE)


def test_a_schema_that_is_nested_deeply_is_an_error_of_the_record(shared_registry: FakeRegistry) -> None:
    shared_registry.answers = {"*": (200, {"schema": "[" * 100_000})}
    with pytest.raises(CodecError, match="incompatible with the type of the flow: the schema is nested too deeply"):
        codec_of(shared_registry).decode(DATA)


NO_SCHEMAS: list[Any] = [
    {"schema": 7},
    {"schema": [SCHEMA]},
    {"schema": {"type": "string"}},
    {"schema": True},
    {"schema": SCHEMA, "schemaType": 7},
    {"schema": SCHEMA, "references": 7},
    {"schema": SCHEMA, "references": ["x"]},
    {"schema": SCHEMA, "references": [{"subject": "s", "version": "x"}]},
]
NOTHING: list[Any] = [{}, None, [], "", b"[" * 100_000, b"<html>"]


@pytest.mark.parametrize("answer", NO_SCHEMAS + NOTHING, ids=lambda answer: str(answer)[:30])
def test_what_a_registry_has_in_the_place_of_a_schema_is_an_error_of_the_record(
    shared_registry: FakeRegistry, answer: Any
) -> None:
    shared_registry.answers = {"/schemas/types": (200, ["AVRO"]), "*": (200, answer)}
    codec = codec_of(shared_registry)
    with pytest.raises(UnknownSchemaError, match="has no valid schema for schema id 7"):
        codec.decode(DATA)
    with pytest.raises(UnknownSchemaError, match="has no valid schema for subject 't-value'"):
        codec.incompatibilities_with_latest()
    shared_registry.requests.clear()
    with pytest.raises(UnknownSchemaError):
        codec.decode(DATA)
    assert shared_registry.requests == []


@pytest.mark.parametrize("answer", NOTHING[:1] + NOTHING[-2:], ids=lambda answer: str(answer)[:30])
def test_an_answer_without_a_schema_means_unavailable_where_there_is_no_registry(
    shared_registry: FakeRegistry, answer: Any
) -> None:
    shared_registry.answers = {"*": (200, answer)}
    with pytest.raises(RegistryUnavailableError, match="unavailable"):
        codec_of(shared_registry).decode(DATA)


def field_named(name: Any) -> str:
    return json.dumps({"type": "record", "name": "Trade", "fields": [{"name": name, "type": "int"}]})


INVALID_SCHEMAS = ["", "{", "7", "null", '"Trade"', *map(field_named, ({}, -1, [], None, True)), field_named("x")[:-2]]


@pytest.mark.parametrize("schema", INVALID_SCHEMAS)
def test_an_invalid_schema_makes_dead_letters_and_no_end_of_the_run(
    shared_registry: FakeRegistry, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    shared_registry.answers = {"*": (200, {"schema": schema, "id": 7, "version": 1, "subject": "t-value"})}
    codecs = RegistryCodecs(registry_at(shared_registry.url), AvroFormats())
    codecs.check([TopicTypes("t", None, Trade)], [])
    assert "value of topic 't': records with the latest schema of subject 't-value' become dead letters: " in caplog.text
    with pytest.raises(CodecError, match="schema id 7 is incompatible with the type of the flow"):
        codecs.for_value("t", Trade).decode(DATA)


def reference(subject: Any, version: Any = 1) -> dict[str, Any]:
    return {"name": "x", "subject": subject, "version": version}


@pytest.mark.parametrize(("number", "is_accepted"), [(500, True), (501, False)])
def test_a_schema_refers_to_at_most_500_others(shared_registry: FakeRegistry, number: int, is_accepted: bool) -> None:
    chain = {f"/subjects/s{i}/versions/1": [reference(f"s{i + 1}")] if i + 1 < number else [] for i in range(number)}
    answers: dict[str, tuple[int, Any]] = {
        path: (200, {"schema": '"string"', "references": references, "version": 1, "subject": "s", "id": 1})
        for path, references in chain.items()
    }
    shared_registry.answers = {**answers, "*": (200, {"schema": SCHEMA, "references": [reference("s0")]})}
    expected = "the data ends too early" if is_accepted else "the schema refers to more than 500 other schemas"
    with pytest.raises(CodecError, match=expected):
        codec_of(shared_registry).decode(DATA)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from([SCHEMA, '"string"', "AVRO"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["schema", "subject", "version"]), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = ["schema", "schemaType", "references", "id", "guid", "subject", "version", "error_code", "message", "metadata", "ruleSet"]
ANSWERS = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5) | JSON


@given(st.sampled_from([200, 200, 200, 404, 409, 422, 500, 302, 204]), ANSWERS | st.binary(max_size=30), st.binary(max_size=12))
def test_any_answer_gives_a_value_or_an_error_of_the_port(
    shared_registry: FakeRegistry, status: int, answer: Any, data: bytes
) -> None:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    shared_registry.answers = {"*": (status, body)}
    codec = codec_of(shared_registry)
    operations = (
        lambda: codec.decode(DATA),
        lambda: codec.decode(b"\x00\x00\x00\x00\x07" + data),
        lambda: codec.decode(data, (("__value_schema_id", data),)),
        lambda: codec.encode(TRADE),
        codec.incompatibilities_with_latest,
    )
    for operation in operations:
        with contextlib.suppress(CodecError, CodecUnavailableError):
            operation()
    codec._registry.close()  # noqa: SLF001 - each example opens a connection


def test_random_schema_ids_take_a_limited_amount_of_memory(
    shared_registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eddyline.adapters.registry.codec._MAX_UNKNOWN", 3)
    shared_registry.answers = {"*": (404, {"error_code": 40403, "message": "Schema not found"})}
    codec = codec_of(shared_registry)
    for number in range(10):
        with pytest.raises(CodecError, match=f"schema id {number} is unknown"):
            codec.decode(b"\x00" + number.to_bytes(4, "big"))
        assert len(codec._unknown) <= 3  # noqa: SLF001 - the size cannot be seen from outside
