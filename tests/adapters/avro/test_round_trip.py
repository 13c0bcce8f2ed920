import io
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.options import AvroOptions
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.ids import readable
from tests.adapters.avro.models import Everything, Leg, Node, Side, Trade
from tests.adapters.avro.strategies import EVERYTHING, JSON_VALUES, STRINGS


def codec(hint: object, options: AvroOptions | None = None) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    avro = AvroFormat(hint, options)
    decode = avro.decoder(avro.schema_text)
    return lambda value: avro.encode(value, b""), lambda data: decode(data, 0)


@given(EVERYTHING)
def test_every_value_is_decoded_as_it_was_encoded(value: Everything) -> None:
    encode, decode = codec(Everything)
    assert decode(encode(value)) == value


@given(EVERYTHING)
def test_fastavro_decodes_the_data_with_the_schema(value: Everything) -> None:
    avro = AvroFormat(Everything)
    schema = fastavro.parse_schema(json.loads(avro.schema_text))
    plain = fastavro.schemaless_reader(io.BytesIO(avro.encode(value, b"")), schema, None)
    assert isinstance(plain, dict)
    assert (plain["text"], plain["money"], plain["day"], plain["side"]) == (value.text, value.money, value.day, value.side.value)
    assert plain["identity"] == value.identity
    assert plain["clock"] == value.clock


@given(st.recursive(st.builds(Node, STRINGS), lambda inner: st.builds(Node, STRINGS, st.lists(inner, max_size=3)), max_leaves=12))
def test_a_recursive_record_is_decoded_as_it_was_encoded(tree: Node) -> None:
    encode, decode = codec(Node)
    assert decode(encode(tree)) == tree


@given(JSON_VALUES)
def test_an_untyped_value_is_decoded_as_it_was_encoded(value: Any) -> None:
    encode, decode = codec(Any)
    assert decode(encode(value)) == value
    encode, decode = codec(dict[str, Any])
    assert decode(encode({"it": value})) == {"it": value}


def test_not_a_number_and_infinity_are_preserved() -> None:
    encode, decode = codec(float)
    assert math.isnan(decode(encode(math.nan)))
    assert decode(encode(-math.inf)) == -math.inf


@pytest.mark.parametrize("value", ["text", 7, -1.5, True, b"\x00", Decimal("0.5"), date(2024, 2, 29), UUID(int=9), Side.SELL])
def test_a_value_need_not_be_a_record(value: Any) -> None:
    encode, decode = codec(type(value))
    assert decode(encode(value)) == value
    assert type(decode(encode(value))) is type(value)


def test_a_datetime_in_another_time_zone_is_decoded_in_utc() -> None:
    encode, decode = codec(datetime)
    instant = datetime(2024, 3, 31, 12, tzinfo=timezone(timedelta(hours=2)))
    assert decode(encode(instant)) == instant
    assert decode(encode(instant)).tzinfo is UTC


def test_an_int_is_encoded_as_a_float_field() -> None:
    encode, decode = codec(Trade)
    found = decode(encode(Trade("ASK", "A", 3)))
    assert type(found.price) is float


class Colour(str, Enum):  # noqa: UP042 - an enum that is a str
    RED = "red"


def test_an_instance_of_a_subclass_is_encoded_as_its_base() -> None:
    encode, decode = codec(str)
    assert decode(encode(Colour.RED)) == "red"


@dataclass
class Wrapped:
    choice: Literal[1, 2]
    rate: float | None
    items: list[Leg]
    when: datetime
    table: dict[str, int]
    either: int | str


VALID: dict[str, Any] = {
    "choice": 1,
    "rate": 1.0,
    "items": [],
    "when": datetime(2024, 1, 1, tzinfo=UTC),
    "table": {},
    "either": 1,
}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"choice": 3}, "choice: expected one of 1, 2, found 3"),
        ({"rate": "1"}, "rate: expected double or null, found str '1'"),
        ({"rate": 10**400}, "rate: the integer is too large for a double"),
        ({"items": None}, "items: expected list, found None"),
        ({"items": [Leg(Decimal(1)), Leg("1")]}, "items[1].price: expected Decimal, found str '1'"),  # type: ignore[arg-type]
        ({"items": [Leg(Decimal("1E-10"))]}, "items[0].price: 1E-10 has more than 9 digits after the decimal point; round it"),
        ({"items": [Leg(Decimal("1E+30"))]}, "items[0].price: 1E+30 has more than 29 digits before the decimal point"),
        ({"items": [Leg(Decimal("1E-999999"))]}, "more than 9 digits after the decimal point"),
        ({"items": [Leg(Decimal("NaN"))]}, "items[0].price: expected a finite Decimal, found NaN"),
        ({"when": datetime(2024, 1, 1)}, "when: datetime 2024-01-01T00:00:00 has no time zone"),  # noqa: DTZ001
        ({"when": date(2024, 1, 1)}, "when: expected datetime, found datetime.date(2024, 1, 1)"),
        ({"table": {1: 2}}, "table[1]: expected str as the key of a dict, found int 1"),
        ({"table": {"a": 2**63}}, "table.a: 9223372036854775808 does not fit into the 64 bits of a long"),
        ({"table": {"a": True}}, "table['a']: expected int, found bool True"),
        ({"either": 1.5}, "either: expected long or string, found float 1.5"),
        ({"either": "\ud800"}, r"either: '\ud800' has a lone surrogate, which UTF-8 cannot encode"),
    ],
    ids=readable,
)
def test_an_error_has_the_path_of_the_field_the_expected_type_and_the_value(changed: dict[str, Any], message: str) -> None:
    encode, _ = codec(Wrapped)
    encode(Wrapped(**VALID))
    with pytest.raises(CodecError) as caught:
        encode(Wrapped(**{**VALID, **changed}))
    assert message in str(caught.value)


def test_an_instance_of_another_class_is_an_error() -> None:
    encode, _ = codec(Trade)
    with pytest.raises(CodecError, match=r"expected Trade, found Leg\(price="):
        encode(Leg(Decimal(1)))


def test_microseconds_are_an_error_where_timestamps_are_in_milliseconds() -> None:
    encode, decode = codec(datetime, AvroOptions(timestamps="millis"))
    whole = datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
    assert decode(encode(whole)) == whole
    with pytest.raises(CodecError, match=r"has microseconds; round it, or set option avro\.timestamps to micros"):
        encode(whole + timedelta(microseconds=1))


def test_a_time_with_a_time_zone_is_an_error() -> None:
    encode, _ = codec(time)
    with pytest.raises(CodecError, match="has a time zone"):
        encode(time(1, tzinfo=UTC))


def test_an_untyped_value_that_json_cannot_represent_is_an_error() -> None:
    encode, _ = codec(dict[str, Any])
    with pytest.raises(CodecError, match=r"\['it'\]\['a'\]\[1\]: JSON cannot represent set\(\); declare the type"):
        encode({"it": {"a": [1, set()]}})


def test_a_value_that_is_nested_too_deeply_is_an_error() -> None:
    encode, _ = codec(Node)
    tree = Node("leaf")
    for _ in range(5_000):
        tree = Node("", [tree])
    with pytest.raises(CodecError, match="nested too deeply"):
        encode(tree)


@dataclass
class Positive:
    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("number must not be negative")


def test_decoding_runs_the_checks_of_the_dataclass() -> None:
    encode, decode = codec(Positive)
    negative = Positive(1)
    negative.number = -1
    with pytest.raises(CodecError, match="number must not be negative"):
        decode(encode(negative))
