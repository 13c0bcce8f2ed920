"""Schemas as JDBC sources, Kafka Connect and other libraries write them are read as the Avro specification says."""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import Field

from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.json_values import JsonValueEncoder
from eddyline.adapters.avro.schema import schema_for
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.test_schema_resolution import decoded, encoded, record

BYTES = {"type": "bytes"}
FIXED = {"type": "fixed", "name": "F", "size": 2}


def decimal_of(kind: dict[str, Any], **digits: Any) -> dict[str, Any]:
    return {**kind, "logicalType": "decimal", **digits}


INVALID_DECIMALS = [
    decimal_of(BYTES, precision=64, scale=127),
    decimal_of(BYTES, precision=4, scale=-2),
    decimal_of(BYTES, precision="4", scale=2),
    decimal_of(BYTES, precision=4, scale="2"),
    decimal_of(BYTES, precision=0),
    decimal_of(BYTES, precision=True),
    decimal_of(BYTES),
    decimal_of(FIXED, precision=5, scale=0),
]


@dataclass(frozen=True)
class Price:
    amount: bytes


@dataclass(frozen=True)
class Money:
    amount: Decimal


@pytest.mark.parametrize("schema", INVALID_DECIMALS, ids=lambda schema: json.dumps(schema).replace("\\", ""))
def test_an_invalid_decimal_is_its_underlying_type(schema: dict[str, Any]) -> None:
    written = record("Price", amount=schema)
    plain = record("Price", amount=FIXED if schema["type"] == "fixed" else "bytes")
    data = encoded(plain, {"amount": b"ab"})
    assert AvroFormat(Price).decoder(json.dumps(written))(data, 0) == Price(b"ab")
    assert AvroFormat(Any).decoder(json.dumps(written))(data, 0) == {"amount": b"ab"}
    assert AvroFormat(Price).incompatibilities(json.dumps(written)) == ()
    found = (
        r"amount: expected bytes \(decimal\), found .* \(decimal with precision .* and scale .*, which is invalid and ignored\)"
    )
    with pytest.raises(CodecError, match=found):
        AvroFormat(Money).decoder(json.dumps(written))
    assert JsonValueEncoder(json.dumps(written)).encode({"amount": "YWI="}, b"") == data


def test_a_fixed_decimal_has_as_many_digits_as_its_bytes_can_hold() -> None:
    assert decoded(Money, record("Money", amount=decimal_of(FIXED, precision=4, scale=1)), {"amount": b"\x00\x0f"}) == Money(
        Decimal("1.5")
    )


def test_a_default_of_another_type_than_its_field_is_no_concern_of_readers() -> None:
    schema = {"type": "record", "name": "Price", "fields": [{"name": "amount", "type": "bytes", "default": None}]}
    assert AvroFormat(Price).decoder(json.dumps(schema))(b"\x02a", 0) == Price(b"a")


@dataclass(frozen=True)
class Other:
    code: str = ""


@dataclass(frozen=True)
class Shelf:
    price: Price | None = None
    other: Other | None = None


def test_a_record_may_have_another_name_where_there_is_nothing_to_choose() -> None:
    written = record("com.shop.Envelope", amount="bytes")
    assert decoded(Price, written, {"amount": b"a"}) == Price(b"a")
    assert decoded(Price | None, ["null", written], ("com.shop.Envelope", {"amount": b"a"})) == Price(b"a")
    assert decoded(Shelf, record("Row", price=["null", written]), {"price": {"amount": b"a"}}) == Shelf(Price(b"a"))
    assert AvroFormat(Price).incompatibilities(json.dumps(written)) == ()


def test_names_choose_between_the_records_of_a_union() -> None:
    price, other = record("a.Price", amount="bytes"), record("b.Other", code="string")
    for datum, value in ((("a.Price", {"amount": b"a"}), Price(b"a")), (("b.Other", {"code": "c"}), Other("c"))):
        assert decoded(Price | Other, [price, other], datum) == value
    assert decoded(Price | Other, other, {"code": "c"}) == Other("c")
    with pytest.raises(CodecError, match=r"expected eddyline\.Price or eddyline\.Other, found record Third"):
        AvroFormat(Price | Other).decoder(json.dumps(record("Third", amount="bytes", code="string")))
    both = json.dumps([price, record("Third", amount="bytes")])
    assert AvroFormat(Price).incompatibilities(both) == (
        "expected record eddyline.Price, found record Third in the writer's schema",
    )


def test_a_record_of_another_name_needs_a_field_of_the_class() -> None:
    message = "expected record eddyline.Other, found record Third in the writer's schema, and none of its fields is one of"
    with pytest.raises(CodecError, match=message):
        AvroFormat(Other).decoder(json.dumps(record("Third", amount="bytes")))
    assert decoded(Other, record("Other", amount="bytes"), {"amount": b""}) == Other()


def entries(key: Any, value: Any, **attributes: Any) -> dict[str, Any]:
    return {"type": "array", "items": {**record("ConnectDefault", key=key, value=value), **attributes}}


@dataclass(frozen=True)
class Stock:
    by_number: dict[int, Price | None] = field(default_factory=dict)
    by_name: dict[str, int] = field(default_factory=dict)
    by_id: dict[UUID, list[str]] = field(default_factory=dict)


def test_arrays_of_key_and_value_are_read_as_dicts() -> None:
    data = [{"key": "a", "value": 1}, {"key": "b", "value": 2}]
    assert decoded(dict[str, int], entries("string", "int"), data) == {"a": 1, "b": 2}
    assert decoded(dict[str, Any], entries("string", "int"), data) == {"a": 1, "b": 2}
    assert decoded(Any, entries("string", "int", **{"connect.internal.type": "MapEntry"}), data) == {"a": 1, "b": 2}
    assert decoded(Any, entries("string", "int"), data) == data
    assert decoded(dict[int, float], entries("int", "long"), [{"key": 7, "value": 2}]) == {7: 2.0}
    with pytest.raises(CodecError, match=r"\[1\].*expected str as the key|\[\]\.key: expected string, found long"):
        decoded(dict[str, int], entries("long", "int"), [{"key": 7, "value": 2}])


def test_dicts_whose_keys_are_not_strings_are_written_as_arrays_of_key_and_value() -> None:
    stock = Stock({7: Price(b"x"), 8: None}, {"a": 1}, {UUID(int=5): ["x"]})
    avro = AvroFormat(Stock)
    data = avro.encode(stock, b"")
    assert avro.decoder(avro.schema_text)(data, 0) == stock
    assert AvroFormat(Any).decoder(avro.schema_text)(data, 0)["by_number"] == {7: {"amount": b"x"}, 8: None}
    by_number, by_name, by_id = (each["type"] for each in schema_for(Stock)["fields"])
    assert (by_name["type"], by_id["items"]["connect.internal.type"]) == ("map", "MapEntry")
    assert [by_number["items"][name] for name in ("name", "namespace")] == ["MapEntry_long_eddyline_Price_or_null", "eddyline"]
    with pytest.raises(CodecError, match=r"by_number\[7\]: .*expected"):
        avro.encode(Stock({7: "x"}), b"")  # type: ignore[dict-item]


@dataclass(frozen=True)
class Invoice:
    net: Annotated[Decimal, Field(max_digits=10, decimal_places=2)]
    tax: Decimal = field(metadata={"max_digits": 6, "decimal_places": 4})
    discount: Annotated[Decimal | None, Field(decimal_places=1)] = None
    total: Decimal = Decimal(0)


def test_a_decimal_has_the_digits_of_its_field() -> None:
    found = [each["type"] for each in schema_for(Invoice)["fields"]]
    found[2] = found[2][1]
    assert [(each["precision"], each["scale"]) for each in found] == [(10, 2), (6, 4), (38, 1), (38, 9)]
    avro = AvroFormat(Invoice)
    invoice = Invoice(Decimal("1.25"), Decimal("0.2000"), Decimal("0.5"), Decimal(3))
    assert avro.decoder(avro.schema_text)(avro.encode(invoice, b""), 0) == invoice
    with pytest.raises(
        CodecError, match=r"net: 1\.255 has more than 2 digits after the decimal point.*decimal_places of the field"
    ):
        avro.encode(Invoice(Decimal("1.255"), Decimal(0)), b"")
    with pytest.raises(CodecError, match=r"tax: 100 has more than 2 digits before the decimal point.*max_digits of the field"):
        avro.encode(Invoice(Decimal(0), Decimal(100)), b"")


@dataclass(frozen=True)
class WrongDigits:
    net: Annotated[Decimal, Field(max_digits=2)]


def test_digits_that_no_decimal_has_are_an_error_with_the_field() -> None:
    with pytest.raises(AvroSchemaError, match=r"WrongDigits\.net: decimal_places '9' is not valid with max_digits '2'"):
        AvroFormat(WrongDigits)


@dataclass(frozen=True)
class Change:
    at: datetime
    day: date | None = None
    clock: time | None = None
    took: timedelta | None = None


def test_times_of_debezium_are_read() -> None:
    def named(kind: str, name: str) -> dict[str, Any]:
        return {"type": kind, "connect.version": 1, "connect.name": f"io.debezium.time.{name}"}

    expected = Change(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), date(1970, 1, 2), time(0, 0, 1), timedelta(microseconds=5))
    micros = record(
        "Value",
        at=named("long", "MicroTimestamp"),
        day=["null", named("int", "Date")],
        clock=named("long", "MicroTime"),
        took=named("long", "MicroDuration"),
    )
    assert decoded(Change, micros, {"at": 1_000_000, "day": 1, "clock": 1_000_000, "took": 5}) == expected
    millis = record("Value", at=named("long", "Timestamp"), clock=named("int", "Time"))
    found = decoded(Change, millis, {"at": 1_000, "clock": 1_000})
    assert (found.at, found.clock) == (expected.at, expected.clock)
    assert decoded(int, named("long", "MicroTimestamp"), 7) == 7
