import io
import json
import re
from dataclasses import dataclass, field, make_dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import fastavro
import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.ids import readable
from tests.adapters.avro.models import Leg, Level, Node, Side, Trade


def encoded(schema: Any, datum: Any) -> bytes:
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(schema), datum)
    return stream.getvalue()


def decoded(hint: object, schema: Any, datum: Any) -> Any:
    return AvroFormat(hint).decoder(json.dumps(schema))(encoded(schema, datum), 0)


def record(name: str, /, **fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": key, "type": schema} for key, schema in fields.items()]}


TRADE = record("com.other.Trade", extra={"type": "map", "values": "long"}, price="float", ticker="string", type="string")


def test_fields_are_matched_by_name_and_missing_ones_have_their_default() -> None:
    found = decoded(Trade, TRADE, {"extra": {"a": 1}, "price": 1.5, "ticker": "A", "type": "ASK"})
    assert found == Trade("ASK", "A", 1.5, 0)


def test_a_default_factory_is_called_for_each_value() -> None:
    schema = record("Node", name="string")
    first, second = decoded(Node, schema, {"name": "a"}), decoded(Node, schema, {"name": "a"})
    assert first.children == []
    assert first.children is not second.children


@dataclass
class Numbers:
    whole: int = 0
    fraction: float = 0.0
    text: str = ""
    raw: bytes = b""


@pytest.mark.parametrize(
    ("field_name", "schema", "datum", "value"),
    [
        ("whole", "int", 3, 3),
        ("fraction", "int", 3, 3.0),
        ("fraction", "long", 3, 3.0),
        ("fraction", "float", 0.5, 0.5),
        ("text", "bytes", b"\xc3\xa9", "é"),
        ("raw", "string", "é", b"\xc3\xa9"),
        ("raw", {"type": "fixed", "name": "F", "size": 2}, b"ab", b"ab"),
        ("text", {"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B", "B"),
        ("whole", {"type": "long", "logicalType": "timestamp-millis"}, 86_400_000, 86_400_000),
        ("text", {"type": "string", "avro.java.string": "String"}, "a", "a"),
    ],
)
def test_primitive_types_are_promoted(field_name: str, schema: Any, datum: Any, value: Any) -> None:
    found = getattr(decoded(Numbers, record("Numbers", **{field_name: schema}), {field_name: datum}), field_name)
    assert found == value
    assert type(found) is type(value)


@dataclass
class Logicals:
    money: Decimal = Decimal(0)
    day: date = date.min
    clock: time = time.min
    instant: datetime = datetime(1, 1, 1, tzinfo=UTC)
    identity: UUID | None = None


@pytest.mark.parametrize(
    ("field_name", "schema", "datum", "value"),
    [
        ("money", {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}, b"\x01\x00", Decimal("2.56")),
        ("money", {"type": "fixed", "name": "M", "size": 2, "logicalType": "decimal", "precision": 4}, b"\xff\xfe", Decimal(-2)),
        ("clock", {"type": "int", "logicalType": "time-millis"}, 1_500, time(0, 0, 1, 500_000)),
        (
            "instant",
            {"type": "long", "logicalType": "timestamp-millis"},
            1_500,
            datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC),
        ),
        (
            "instant",
            {"type": "long", "logicalType": "timestamp-micros"},
            -1,
            datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        ),
        ("identity", "string", "00000000-0000-0000-0000-000000000007", UUID(int=7)),
        ("identity", {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}, UUID(int=7).bytes, UUID(int=7)),
    ],
)
def test_logical_types_are_decoded_from_each_of_their_representations(
    field_name: str, schema: Any, datum: Any, value: Any
) -> None:
    assert getattr(decoded(Logicals, record("Logicals", **{field_name: schema}), {field_name: datum}), field_name) == value


@pytest.mark.parametrize(
    ("field_name", "schema", "message"),
    [
        ("money", "double", r"money: expected bytes \(decimal\), found double in the writer's schema"),
        ("instant", "long", r"instant: expected long \(timestamp-micros\), found long in the writer's schema"),
        (
            "instant",
            {"type": "long", "logicalType": "local-timestamp-millis"},
            r"found long \(local-timestamp-millis\) in the writer's schema",
        ),
        ("day", "int", r"day: expected int \(date\), found int in the writer's schema"),
    ],
)
def test_a_number_without_the_expected_logical_type_is_an_error(field_name: str, schema: Any, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        AvroFormat(Logicals).decoder(json.dumps(record("Logicals", **{field_name: schema})))


@dataclass
class Choices:
    maybe: int | None = None
    several: int | str | Leg | Node | None = None
    either: float | int = 0
    items: list[float] = field(default_factory=list)


LEG = record("Leg", price={"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 0})
NODE = record("Node", name="string")


@pytest.mark.parametrize(
    ("field_name", "schema", "datum", "value"),
    [
        ("maybe", "int", 5, 5),
        ("maybe", ["int", "null"], None, None),
        ("several", ["string", "null"], "a", "a"),
        ("several", [LEG, NODE], ("Node", {"name": "n"}), Node("n")),
        ("several", [NODE, LEG, "long"], ("Leg", {"price": b"\x03"}), Leg(Decimal(3))),
        ("several", LEG, {"price": b"\x03"}, Leg(Decimal(3))),
        ("either", "long", 3, 3),
        ("either", "float", 0.5, 0.5),
        ("items", {"type": "array", "items": ["long", "float"]}, [1, 0.5], [1.0, 0.5]),
    ],
)
def test_each_branch_of_a_union_is_resolved(field_name: str, schema: Any, datum: Any, value: Any) -> None:
    found = getattr(decoded(Choices, record("Choices", **{field_name: schema}), {field_name: datum}), field_name)
    assert found == value
    assert type(found) is type(value)


def test_an_incompatible_branch_is_reported_and_an_error_only_for_its_values() -> None:
    schema = record("Trade", type="string", ticker="string", price=["null", "double", "string"])
    avro = AvroFormat(Trade)
    assert avro.incompatibilities(json.dumps(schema)) == (
        "price: expected double, found null in the writer's schema",
        "price: expected double, found string in the writer's schema",
    )
    decode = avro.decoder(json.dumps(schema))
    assert decode(encoded(schema, {"type": "", "ticker": "", "price": 2.0}), 0).price == 2.0
    with pytest.raises(CodecError, match="price: expected double, found null in the writer's schema"):
        decode(encoded(schema, {"type": "", "ticker": "", "price": None}), 0)


DATE = {"type": "int", "logicalType": "date"}


@pytest.mark.parametrize("schema", [["null", DATE, "long"], ["null", "long", DATE]], ids=["date first", "long first"])
@pytest.mark.parametrize("hint", [Any, date | None])
def test_branches_that_only_their_logical_types_distinguish_are_an_error(hint: object, schema: Any) -> None:
    message = r"(int \(date\) and long|long) .*cannot be distinguished in a union of the writer's schema"
    avro = AvroFormat(hint)
    assert re.search(message, avro.incompatibilities(json.dumps(schema))[-1])
    decode = avro.decoder(json.dumps(schema))
    assert decode(b"\x00", 0) is None
    with pytest.raises(CodecError, match=message):
        decode(b"\x02\x02", 0)
    assert decoded(int | None, schema, 5) == 5


@pytest.mark.parametrize(
    ("kind", "logical_type", "datum"), [("string", "timestamp-millis", "a"), ("bytes", "uuid", b"a"), ("double", "date", 0.5)]
)
def test_an_invalid_logical_type_is_ignored_as_the_avro_specification_demands(kind: str, logical_type: str, datum: Any) -> None:
    schema = {"type": kind, "logicalType": logical_type}
    assert AvroFormat(Any).decoder(json.dumps(schema))(encoded(kind, datum), 0) == datum
    with pytest.raises(CodecError, match=rf"expected long \(timestamp-micros\), found {kind} \({logical_type}\)"):
        AvroFormat(datetime).decoder(json.dumps(schema))


SYMBOLS = {"type": "enum", "name": "Side", "symbols": ["SELL", "HOLD", "BUY"]}


def test_symbols_are_matched_by_value_and_name_and_unknown_ones_are_reported() -> None:
    avro = AvroFormat(Side)
    assert avro.incompatibilities(json.dumps(SYMBOLS)) == (
        "the writer's symbols HOLD are not members of the reader's enum eddyline.Side",
    )
    decode = avro.decoder(json.dumps(SYMBOLS))
    assert decode(encoded(SYMBOLS, "BUY"), 0) is Side.BUY
    values = {**SYMBOLS, "symbols": ["sell", "buy"]}
    assert avro.decoder(json.dumps(values))(encoded(values, "sell"), 0) is Side.SELL
    with pytest.raises(CodecError, match="expected one of buy, sell, found 'HOLD'"):
        decode(encoded(SYMBOLS, "HOLD"), 0)


def test_unknown_symbols_become_the_member_unknown_of_an_enum_that_has_one() -> None:
    schema = {"type": "enum", "name": "Level", "symbols": ["INFO", "TRACE"]}
    assert AvroFormat(Level).incompatibilities(json.dumps(schema)) == ()
    assert decoded(Level, schema, "TRACE") is Level.UNKNOWN


def test_an_enum_is_decoded_from_a_string() -> None:
    assert decoded(Side, "string", "SELL") is Side.SELL


def test_an_untyped_value_is_decoded_from_any_schema() -> None:
    instant = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    schema = record(
        "Event",
        at={"type": "long", "logicalType": "timestamp-millis"},
        money={"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 1},
        side=["null", SYMBOLS],
        nested={"type": "array", "items": record("Inner", x=["null", "long"])},
    )
    datum = {"at": 1_000, "money": b"\x0f", "side": "BUY", "nested": [{"x": 1}, {"x": None}]}
    expected = {"at": instant, "money": Decimal("1.5"), "side": "BUY", "nested": [{"x": 1}, {"x": None}]}
    assert decoded(Any, schema, datum) == expected
    assert decoded(dict[str, Any], schema, datum) == expected


def test_a_schema_is_resolved_with_the_schemas_that_it_refers_to() -> None:
    outer = record("Trade", type="string", ticker="string", price="com.money.Price")
    price = {"type": "record", "name": "Price", "namespace": "com.money", "fields": [{"name": "amount", "type": "double"}]}

    @dataclass
    class Price:
        amount: float

    OuterTrade = make_dataclass("Trade", [("type", str), ("ticker", str), ("price", Price)])  # noqa: N806 - a class
    inlined = {**outer, "fields": [*outer["fields"][:2], {"name": "price", "type": price}]}
    data = encoded(inlined, {"type": "a", "ticker": "b", "price": {"amount": 2.5}})
    found = AvroFormat(OuterTrade).decoder(json.dumps(outer), (("Price", json.dumps(price)),))(data, 0)
    assert found.price == Price(2.5)


@pytest.mark.parametrize(
    ("hint", "schema", "message"),
    [
        (Trade, record("Other", type="string"), "ticker: the field has no default .* which is record Other and has: type"),
        (
            Trade,
            record("Trade", type="string"),
            "ticker: the field has no default and is not in the writer's schema, which has: type",
        ),
        (Trade, record("Trade", type="long"), "type: expected string, found long in the writer's schema"),
        (int, "double", "expected long, found double in the writer's schema"),
        (bool, "int", "expected boolean, found int in the writer's schema"),
        (list[int], {"type": "array", "items": "string"}, r"\[\]: expected long, found string in the writer's schema"),
        (dict[str, int], "string", "expected map, found string in the writer's schema"),
        (int | str, "boolean", "expected long or string, found boolean in the writer's schema"),
        (Side, "long", "expected enum eddyline.Side, found long in the writer's schema"),
        (Literal["a"], "long", "expected string, found long in the writer's schema"),
    ],
    ids=readable,
)
def test_an_incompatible_schema_is_an_error_with_the_path_of_the_field(hint: object, schema: Any, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        AvroFormat(hint).decoder(json.dumps(schema))
    assert AvroFormat(hint).incompatibilities(json.dumps(schema))


def test_an_untyped_uuid_is_one_and_a_fixed_type_of_another_size_stays_bytes() -> None:
    datum = {"text": str(UUID(int=5)), "fixed": UUID(int=6).bytes, "short": b"12345678"}
    plain: dict[str, Any] = {
        "text": {"type": "string"},
        "fixed": {"type": "fixed", "name": "Long", "size": 16},
        "short": {"type": "fixed", "name": "Short", "size": 8},
    }
    declared = {name: {**schema, "logicalType": "uuid"} for name, schema in plain.items()}
    decode = AvroFormat(Any).decoder(json.dumps(record("Ids", **declared)))
    expected = {"text": UUID(int=5), "fixed": UUID(int=6), "short": b"12345678"}
    assert decode(encoded(record("Ids", **plain), datum), 0) == expected
