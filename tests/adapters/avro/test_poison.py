import contextlib
import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormats
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Everything, Leg, Node, Trade
from tests.adapters.avro.test_round_trip import everything

FORMATS = AvroFormats()
TRADE = FORMATS("topic", "value", Trade)
EVERYTHING = FORMATS("topic", "value", Everything)
NODE = FORMATS("topic", "value", Node)
read_trade = TRADE.reader(TRADE.schema_text)
read_everything = EVERYTHING.reader(EVERYTHING.schema_text)
read_node = NODE.reader(NODE.schema_text)

GOOD = TRADE.payload(Trade("ASK", "MSFT", 12.5, 100), b"")


@pytest.mark.parametrize("length", range(len(GOOD)))
def test_bytes_that_end_too_early_are_refused(length: int) -> None:
    with pytest.raises(CodecError, match=rf"it ends too early \({length} bytes of Avro\)"):
        read_trade(GOOD[:length], 0)


def test_bytes_after_the_value_are_refused() -> None:
    with pytest.raises(CodecError, match="2 bytes are left after the value"):
        read_trade(GOOD + b"\x00\x00", 0)


@given(everything, st.data())
def test_every_cut_of_every_value_is_refused(value: Everything, data: st.DataObject) -> None:
    whole = EVERYTHING.payload(value, b"")
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(CodecError):
        read_everything(whole[:cut], 0)


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    for reader in (read_trade, read_everything, read_node):
        with contextlib.suppress(CodecError):
            reader(data, 0)


@given(everything, st.data())
def test_a_flipped_byte_is_a_value_or_refused(value: Everything, data: st.DataObject) -> None:
    whole = bytearray(EVERYTHING.payload(value, b""))
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(CodecError):
        assert isinstance(read_everything(bytes(whole), 0), Everything)


@pytest.mark.parametrize("depth", [2_000, 1_000_000])
def test_a_tree_of_any_depth_is_refused_and_the_process_lives(depth: int) -> None:
    with pytest.raises(CodecError, match="it is nested too deeply"):
        read_node(b"\x00\x02" * depth + b"\x00" * depth, 0)


@pytest.mark.parametrize("schema", [["null", "long"], {"type": "enum", "name": "E", "symbols": ["A", "B"]}], ids=str)
def test_a_branch_or_symbol_that_does_not_exist_is_refused(schema: Any) -> None:
    with pytest.raises(CodecError, match="a branch of a union, or a symbol, that its schema does not have"):
        FORMATS("topic", "value", Any).reader(json.dumps(schema))(b"\x08", 0)


def test_a_text_that_claims_more_than_there_is_costs_nothing() -> None:
    with pytest.raises(CodecError, match="it ends too early"):
        read_trade(b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01abc", 0)


def test_text_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(CodecError, match="UnicodeDecodeError"):
        read_trade(b"\x04\xff\xfe" + GOOD[4:], 0)


@pytest.mark.parametrize(
    "items",
    [
        "null",
        {"type": "record", "name": "Empty", "fields": []},
        {"type": "record", "name": "Nothing", "fields": [{"name": "a", "type": "null"}]},
        {"type": "fixed", "name": "None", "size": 0},
    ],
)
def test_an_array_of_items_without_bytes_is_never_read(items: Any) -> None:
    schema = json.dumps({"type": "array", "items": items})
    with pytest.raises(CodecError, match="an array whose items take no bytes"):
        FORMATS("topic", "value", Any).reader(schema)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{", "JSONDecodeError"),
        ('"strin"', "UnknownType"),
        ('{"type": "record"}', "KeyError|SchemaParse"),
        ("[" * 100_000, "RecursionError"),
        ('{"type": "enum", "name": "E", "symbols": ["a-b"]}', "SchemaParseException"),
    ],
)
def test_a_schema_that_is_none_is_refused(schema: str, reason: str) -> None:
    with pytest.raises(CodecError, match=f"it is no Avro schema: {reason}"):
        TRADE.reader(schema)


def test_a_decimal_of_many_megabytes_is_refused_at_once() -> None:
    form = FORMATS("topic", "value", Leg)
    huge = b"\x80\x80\x80\x08" + b"\x01" * (8 * 1024 * 1024) + b"\x00"
    with pytest.raises(CodecError, match="price: a decimal of 8388608 bytes is longer"):
        form.reader(form.schema_text)(huge, 0)


def test_a_value_of_twenty_megabytes_is_only_a_long_value() -> None:
    value = Trade("x" * 20_000_000, "A", 1.0)
    assert read_trade(TRADE.payload(value, b""), 0) == value


@pytest.mark.parametrize(
    ("hint", "schema", "data", "message"),
    [
        (time, {"type": "long", "logicalType": "time-micros"}, b"\x01", "-1 microseconds are no time of a day"),
        (datetime, {"type": "long", "logicalType": "timestamp-micros"}, b"\xfe" + b"\xff" * 8 + b"\x01", "OverflowError"),
        (date, {"type": "int", "logicalType": "date"}, b"\xff\xff\xff\xff\x0f", "ValueError|OverflowError"),
        (UUID, {"type": "string", "logicalType": "uuid"}, b"\x02a", "badly formed"),
    ],
)
def test_a_logical_value_out_of_range_is_refused(hint: type, schema: Any, data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        FORMATS("topic", "value", hint).reader(json.dumps(schema))(data, 0)


def test_a_decimal_keeps_every_digit() -> None:
    form = FORMATS("topic", "value", Decimal)
    value = Decimal("-12345678901234567890123456789.123456789")
    assert form.reader(form.schema_text)(form.payload(value, b""), 0) == value
