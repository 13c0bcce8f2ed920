import contextlib
import json
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormat
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Everything, Leg, Node, Trade
from tests.adapters.avro.strategies import EVERYTHING as EVERY_VALUE

TRADE, EVERYTHING, NODE = AvroFormat(Trade), AvroFormat(Everything), AvroFormat(Node)
decode_trade = TRADE.decoder(TRADE.schema_text)
decode_everything = EVERYTHING.decoder(EVERYTHING.schema_text)
decode_node = NODE.decoder(NODE.schema_text)

VALID = TRADE.encode(Trade("ASK", "MSFT", 12.5, 100), b"")


@pytest.mark.parametrize("length", range(len(VALID)))
def test_data_that_ends_too_early_is_an_error(length: int) -> None:
    with pytest.raises(CodecError, match=rf"the data ends too early \({length} bytes of Avro\)"):
        decode_trade(VALID[:length], 0)


def test_bytes_after_the_value_are_an_error() -> None:
    with pytest.raises(CodecError, match="2 bytes are left after the value"):
        decode_trade(VALID + b"\x00\x00", 0)


@given(EVERY_VALUE, st.data())
def test_truncated_data_is_an_error(value: Everything, data: st.DataObject) -> None:
    encoded = EVERYTHING.encode(value, b"")
    length = data.draw(st.integers(0, len(encoded) - 1))
    with pytest.raises(CodecError):
        decode_everything(encoded[:length], 0)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_a_value_or_an_error(data: bytes) -> None:
    for decode in (decode_trade, decode_everything, decode_node):
        with contextlib.suppress(CodecError):
            decode(data, 0)


@given(EVERY_VALUE, st.data())
def test_data_with_a_corrupt_byte_is_a_value_or_an_error(value: Everything, data: st.DataObject) -> None:
    encoded = bytearray(EVERYTHING.encode(value, b""))
    encoded[data.draw(st.integers(0, len(encoded) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(CodecError):
        assert isinstance(decode_everything(bytes(encoded), 0), Everything)


@pytest.mark.parametrize("depth", [2_000, 1_000_000])
def test_data_of_any_depth_is_an_error_and_does_not_crash_the_process(depth: int) -> None:
    with pytest.raises(CodecError, match="the value is nested too deeply"):
        decode_node(b"\x00\x02" * depth + b"\x00" * depth, 0)


@pytest.mark.parametrize("schema", [["null", "long"], {"type": "enum", "name": "E", "symbols": ["A", "B"]}], ids=str)
def test_the_index_of_an_unknown_branch_or_symbol_is_an_error(schema: Any) -> None:
    with pytest.raises(CodecError, match="a union branch or enum symbol that the schema does not have"):
        AvroFormat(Any).decoder(json.dumps(schema))(b"\x08", 0)


def test_the_length_of_a_string_beyond_the_end_of_the_data_allocates_nothing() -> None:
    with pytest.raises(CodecError, match="the data ends too early"):
        decode_trade(b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01abc", 0)


def test_a_string_that_is_not_utf_8_is_an_error() -> None:
    with pytest.raises(CodecError, match="UnicodeDecodeError"):
        decode_trade(b"\x04\xff\xfe" + VALID[4:], 0)


@pytest.mark.parametrize(
    "items",
    [
        "null",
        {"type": "record", "name": "Empty", "fields": []},
        {"type": "record", "name": "Nothing", "fields": [{"name": "a", "type": "null"}]},
        {"type": "fixed", "name": "None", "size": 0},
    ],
)
def test_a_schema_with_an_array_of_empty_items_is_an_error(items: Any) -> None:
    schema = json.dumps({"type": "array", "items": items})
    with pytest.raises(CodecError, match="an array whose items take no bytes"):
        AvroFormat(Any).decoder(schema)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{", "JSONDecodeError"),
        ('"strin"', "UnknownType"),
        ('{"type": "record"}', "KeyError|SchemaParse"),
        ('{"type": "enum", "name": "E", "symbols": ["a-b"]}', "SchemaParseException"),
    ],
)
def test_an_invalid_schema_is_an_error(schema: str, reason: str) -> None:
    with pytest.raises(CodecError, match=f"invalid Avro schema: {reason}"):
        TRADE.decoder(schema)


def test_a_decimal_of_many_megabytes_is_an_error() -> None:
    avro = AvroFormat(Leg)
    huge = b"\x80\x80\x80\x08" + b"\x01" * (8 * 1024 * 1024) + b"\x00"
    with pytest.raises(CodecError, match="price: a decimal of 8388608 bytes is longer"):
        avro.decoder(avro.schema_text)(huge, 0)


def test_a_value_of_twenty_megabytes_is_decoded() -> None:
    value = Trade("x" * 20_000_000, "A", 1.0)
    assert decode_trade(TRADE.encode(value, b""), 0) == value


@pytest.mark.parametrize(
    ("hint", "schema", "data", "message"),
    [
        (time, {"type": "long", "logicalType": "time-micros"}, b"\x01", "-1 microseconds after midnight are not a time of day"),
        (datetime, {"type": "long", "logicalType": "timestamp-micros"}, b"\xfe" + b"\xff" * 8 + b"\x01", "OverflowError"),
        (date, {"type": "int", "logicalType": "date"}, b"\xff\xff\xff\xff\x0f", "ValueError|OverflowError"),
        (UUID, {"type": "string", "logicalType": "uuid"}, b"\x02a", "badly formed"),
    ],
)
def test_a_value_out_of_the_range_of_its_logical_type_is_an_error(hint: type, schema: Any, data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        AvroFormat(hint).decoder(json.dumps(schema))(data, 0)


def test_a_decimal_is_decoded_with_all_its_digits() -> None:
    avro = AvroFormat(Decimal)
    value = Decimal("-12345678901234567890123456789.123456789")
    assert avro.decoder(avro.schema_text)(avro.encode(value, b""), 0) == value


@dataclass
class Checked:
    number: int

    def __post_init__(self) -> None:
        assert self.number >= 0, "number must not be negative"


@dataclass
class Outer:
    checked: dict[str, list[Checked]]
    days: tuple[date, ...] = ()


def test_a_failed_assertion_of_the_dataclass_is_an_error() -> None:
    with pytest.raises(CodecError, match="AssertionError: number must not be negative"):
        AvroFormat(Checked).decoder(AvroFormat(Checked).schema_text)(b"\x01", 0)


def test_an_error_has_the_path_of_the_field_the_index_and_the_value() -> None:
    decode = AvroFormat(Outer).decoder(AvroFormat(Outer).schema_text)
    with pytest.raises(CodecError, match=r"^checked\['a'\]\[1\]: AssertionError: number must not be negative "):
        decode(b"\x02\x02a\x04\x02\x01\x00\x00\x00", 0)
    with pytest.raises(CodecError, match=r"^days\[2\]: (Overflow|Value)Error: "):
        decode(b"\x00\x06\x00\x02\xff\xff\xff\xff\x0f\x00", 0)
    with pytest.raises(CodecError, match=r"^inner\.identity: cannot decode str 'a': ValueError: badly formed"):
        AvroFormat(WithIdentity).decoder(AvroFormat(WithIdentity).schema_text)(b"\x02a", 0)


@dataclass
class Identity:
    identity: UUID


@dataclass
class WithIdentity:
    inner: Identity
