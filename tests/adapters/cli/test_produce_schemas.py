"""`eddyline produce` writes Avro and JSON Schema with the schemas of the registry."""

import io
import json
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from eddyline.adapters.services.registry import Registry
from tests.adapters.cli.conftest import Eddyline, Outcome

Produce: TypeAlias = Callable[..., Outcome]

SCHEMA = {
    "type": "record",
    "name": "Payment",
    "fields": [
        {"name": "shop", "type": "string"},
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "note", "type": ["null", "string"], "default": None},
    ],
}
PAYMENT = {"shop": "north", "amount": "8.50", "at": "2026-03-01T12:00:00Z"}


@pytest.fixture
def topic() -> str:
    return f"payments-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def produce(
    eddyline: Eddyline, schema_registry: Registry, tmp_path: Path, topic: str, monkeypatch: pytest.MonkeyPatch
) -> Produce:
    (tmp_path / "payment.avsc").write_text(json.dumps(SCHEMA))
    monkeypatch.setenv("EDDYLINE_SCHEMA_REGISTRY_URL", schema_registry.url)

    def call(text: str, *words: str) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return eddyline("produce", topic, "--create-topics", "--partitions", "1", *words)

    return call


def consumed(eddyline: Eddyline, topic: str, *words: str) -> list[object]:
    outcome = eddyline("consume", topic, "--until-end", "--format", "json", *words)
    assert outcome.code == 0, outcome.err
    return [json.loads(line)["value"] for line in outcome.out.splitlines()]


def test_avro_is_written_with_a_schema_from_a_file_then_with_the_latest(
    produce: Produce, eddyline: Eddyline, topic: str, tmp_path: Path
) -> None:
    first = produce(json.dumps(PAYMENT), "--value-schema", "payment.avsc")
    assert first.code == 0, first.err
    (tmp_path / "eddyline.toml").write_text('"default.value.codec" = "avro"\n')
    second = produce(json.dumps(PAYMENT | {"note": "gift"}))
    assert second.code == 0, second.err
    values = consumed(eddyline, topic)
    assert [value["note"] for value in values] == [None, "gift"]  # type: ignore[index] # records are objects
    assert [str(value["amount"]) for value in values] == ["8.50", "8.50"]  # type: ignore[index] # likewise


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"shop": "north"}', "as avro: the value does not match the Avro schema: "),
        (json.dumps(PAYMENT | {"till": 1}), "as avro: the value does not match the Avro schema: "),
        (json.dumps(PAYMENT | {"at": "noon"}), "Invalid isoformat string: 'noon'"),
        ("north", "as avro: not JSON"),
    ],
)
def test_a_value_that_the_schema_does_not_have_is_an_error(produce: Produce, text: str, reason: str) -> None:
    outcome = produce(text, "--value-schema", "payment.avsc")
    assert outcome.code == 2
    assert reason in outcome.err


@pytest.mark.parametrize("codec", ["avro", "json-schema"])
def test_a_topic_without_a_schema_needs_one(produce: Produce, topic: str, codec: str) -> None:
    outcome = produce("{}", "--value-codec", codec)
    assert outcome.code == 2
    assert (
        f"subject '{topic}-value' has no schema in the registry; give one with --value-schema FILE, or run a flow" in outcome.err
    )


def test_keys_are_written_with_a_schema_too(produce: Produce, eddyline: Eddyline, topic: str, tmp_path: Path) -> None:
    (tmp_path / "key.avsc").write_text('"string"')
    assert produce("till 1=x\n", "--key-separator", "=", "--key-schema", "key.avsc").code == 0
    outcome = eddyline("consume", topic, "--until-end", "--key-codec", "avro")
    assert outcome.out.split("\t")[2] == "till 1"


def test_json_schema_is_written_with_the_id_of_its_schema(
    produce: Produce, eddyline: Eddyline, topic: str, tmp_path: Path
) -> None:
    (tmp_path / "schema.json").write_text('{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}')
    outcome = produce('{"n": 1}', "--value-codec", "json-schema", "--value-schema", "schema.json")
    assert outcome.code == 0, outcome.err
    assert consumed(eddyline, topic, "--value-codec", "json-schema") == [{"n": 1}]
    assert "has a schema of type JSON; choose another codec than avro" in produce("{}", "--value-codec", "avro").err


def test_a_protobuf_message_is_written_with_the_id_of_its_schema(
    produce: Produce, eddyline: Eddyline, topic: str, tmp_path: Path
) -> None:
    (tmp_path / "row.proto").write_text('syntax = "proto3"; message Row { int64 row_count = 1; }')
    outcome = produce('{"row_count": 1}', "--value-codec", "protobuf", "--value-schema", "row.proto")
    assert outcome.code == 0, outcome.err
    assert produce('{"rowCount": 2}', "--value-codec", "protobuf").code == 0
    assert consumed(eddyline, topic, "--value-codec", "protobuf") == [{"row_count": 1}, {"row_count": 2}]
    assert "as protobuf: the value does not match the Protobuf schema" in produce('{"x": 1}', "--value-codec", "protobuf").err
