"""Values as they are in JSON are encoded with any Avro schema."""

import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from eddyline.adapters.avro.json_values import JsonValueEncoder
from eddyline.application.ports.codec import CodecError


def written(schema: Any, value: Any) -> Any:
    """Return the value as a reader of the schema sees it."""
    data = JsonValueEncoder(json.dumps(schema)).encode(value, b"prefix")
    assert data.startswith(b"prefix")
    return fastavro.schemaless_reader(io.BytesIO(data[6:]), fastavro.parse_schema(schema), None)


NODE = {
    "type": "record",
    "name": "Node",
    "fields": [{"name": "name", "type": "string"}, {"name": "next", "type": ["null", "Node"], "default": None}],
}
MOMENT = {"type": "long", "logicalType": "timestamp-micros"}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ("int", 1, 1),
        ("string", "a", "a"),
        ("bytes", "/w==", b"\xff"),
        ({"type": "array", "items": "bytes"}, ["/w=="], [b"\xff"]),
        ({"type": "map", "values": "bytes"}, {"a": "/w=="}, {"a": b"\xff"}),
        (["null", NODE], {"name": "a"}, {"name": "a", "next": None}),
        ({"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 1}, 1.5, Decimal("1.5")),
        ({"type": "int", "logicalType": "date"}, "2026-03-01", date(2026, 3, 1)),
        (MOMENT, "2026-03-01T12:00:00", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (MOMENT, 1_000_000, datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)),
        ({"type": "array", "items": ["null", "long"]}, [1, None], [1, None]),
        ({"type": "map", "values": MOMENT}, {"a": 0}, {"a": datetime(1970, 1, 1, tzinfo=UTC)}),
        (["null", "int", "string"], "a", "a"),
        (["null", {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 1}, "string"], "1.5", Decimal("1.5")),
        (["null", "int", "string"], 1, 1),
        (NODE, {"name": "a", "next": {"name": "b"}}, {"name": "a", "next": {"name": "b", "next": None}}),
    ],
)
def test_a_value_is_encoded(schema: Any, value: Any, expected: Any) -> None:
    assert written(schema, value) == expected


@pytest.mark.parametrize(
    ("schema", "value"),
    [("int", "1"), ("int", 1 << 40), ("bytes", "not base64"), (NODE, {"name": 1}), (NODE, {}), (NODE, {"name": "a", "more": 1})],
)
def test_a_value_of_another_schema_is_an_error(schema: Any, value: Any) -> None:
    with pytest.raises(CodecError, match="the value does not match the Avro schema"):
        written(schema, value)


@pytest.mark.parametrize("text", ["/w=", "/*w==", "é"])
def test_text_that_is_no_base64_is_an_error(text: str) -> None:
    with pytest.raises(CodecError):
        written("bytes", text)
