"""What fastavro's own resolution of schemas does with cases for which Eddyline has one of its own, and what Eddyline does."""

import io
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import fastavro
import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.application.ports.codec import CodecError


@dataclass(frozen=True)
class Payment:
    payment_id: int = 0


class Letter(Enum):
    A = "A"
    B = "B"


def record(name: str, field: str) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": field, "type": "int", "default": 0}]}


PAYMENT = record("Payment", "payment_id")
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 64, "scale": 127}
ENTRY = {"type": "record", "name": "Entry", "fields": [{"name": "key", "type": "string"}, {"name": "value", "type": "int"}]}
INSTANT = {"type": "long", "logicalType": "timestamp-millis"}
LETTERS = {"type": "enum", "name": "Letter", "symbols": ["A", "B"]}
NULLS = {"type": "array", "items": "null"}
TEN_NULLS = b"\x14\x00"
REFUSED = None
"""In place of a value, for what is refused."""

CASES: dict[str, tuple[Any, Any, Any, bytes, Any, Any]] = {
    "another name of a record": (record("Other", "payment_id"), PAYMENT, Payment, b"\x0e", REFUSED, Payment(7)),
    "another spelling of a field": (record("Payment", "paymentId"), PAYMENT, Payment, b"\x0e", {"payment_id": 0}, Payment(7)),
    "a decimal that cannot be": (DECIMAL, "bytes", bytes, b"\x02\x01", REFUSED, b"\x01"),
    "a long as an instant": ("long", INSTANT, datetime, b"\x02", 1, REFUSED),
    "a text that is no UUID": ("string", {"type": "string", "logicalType": "uuid"}, uuid.UUID, b"\x04no", "no", REFUSED),
    "a string as an enum": ("string", LETTERS, Letter, b"\x02A", REFUSED, Letter.A),
    "entries as a map": (
        {"type": "array", "items": ENTRY},
        {"type": "map", "values": "int"},
        dict[str, int],
        b"\x02\x02a\x0e\x00",
        REFUSED,
        {"a": 7},
    ),
    "the enum symbol -1": (LETTERS, LETTERS, Letter, b"\x01", "B", REFUSED),
    "an array of nulls": (NULLS, NULLS, list[None], TEN_NULLS, [None] * 10, REFUSED),
}
"""Schema of the writer and the reader, type of the reader, data, and what fastavro and Eddyline make of them."""


def found(read: Callable[[], Any], *errors: type[Exception]) -> Any:
    try:
        return read()
    except errors:
        return REFUSED


@pytest.mark.parametrize("name", CASES)
def test_the_resolution_of_fastavro_is_another_one(name: str) -> None:
    """If fastavro answers otherwise, decision 0007 is to be taken again."""
    writer, reader, declared, data, by_fastavro, by_eddyline = CASES[name]

    def read() -> Any:
        return fastavro.schemaless_reader(io.BytesIO(data), fastavro.parse_schema(writer), fastavro.parse_schema(reader))

    refusals = (fastavro.schema.SchemaParseException, fastavro.read.SchemaResolutionError)
    assert found(read, *refusals) == by_fastavro
    assert found(lambda: AvroFormat(declared).decoder(json.dumps(writer))(data, 0), CodecError) == by_eddyline
