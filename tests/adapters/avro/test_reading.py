import io
import json
from dataclasses import MISSING, asdict, dataclass, field, make_dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormat, AvroFormats
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Leg, Level, Node, Side, Trade

FORMATS = AvroFormats()


def form_of(hint: object) -> AvroFormat:
    return FORMATS("topic", "value", hint)


def written(schema: Any, datum: Any) -> bytes:
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(schema), datum)
    return stream.getvalue()


def read(hint: object, schema: Any, datum: Any) -> Any:
    return form_of(hint).reader(json.dumps(schema))(written(schema, datum), 0)


def record(name: str, /, **fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": key, "type": kind} for key, kind in fields.items()]}


TRADE = record("com.other.Trade", extra={"type": "map", "values": "long"}, price="float", ticker="string", type="string")


def test_fields_are_matched_by_name_others_left_out_missing_ones_take_the_default() -> None:
    found = read(Trade, TRADE, {"extra": {"a": 1}, "price": 1.5, "ticker": "A", "type": "ASK"})
    assert found == Trade("ASK", "A", 1.5, 0)


def test_a_default_factory_makes_a_new_value_each_time() -> None:
    schema = record("Node", name="string")
    first, second = read(Node, schema, {"name": "a"}), read(Node, schema, {"name": "a"})
    assert first.children == []
    assert first.children is not second.children


@dataclass
class Numbers:
    whole: int = 0
    fraction: float = 0.0
    text: str = ""
    raw: bytes = b""


@pytest.mark.parametrize(
    ("field_name", "kind", "datum", "value"),
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
def test_primitive_types_widen(field_name: str, kind: Any, datum: Any, value: Any) -> None:
    found = getattr(read(Numbers, record("Numbers", **{field_name: kind}), {field_name: datum}), field_name)
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
    ("field_name", "kind", "datum", "value"),
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
def test_logical_types_are_read_in_every_form_they_have(field_name: str, kind: Any, datum: Any, value: Any) -> None:
    assert getattr(read(Logicals, record("Logicals", **{field_name: kind}), {field_name: datum}), field_name) == value


@pytest.mark.parametrize(
    ("field_name", "kind", "message"),
    [
        ("money", "double", r"money: expected bytes \(decimal\), but the writer has double"),
        ("instant", "long", r"instant: expected long \(timestamp-micros\), but the writer has long"),
        ("instant", {"type": "long", "logicalType": "local-timestamp-millis"}, r"the writer has long \(local-timestamp-millis\)"),
        ("day", "int", "day: expected int"),
    ],
)
def test_a_number_whose_unit_nobody_tells_is_refused(field_name: str, kind: Any, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        form_of(Logicals).reader(json.dumps(record("Logicals", **{field_name: kind})))


@dataclass
class Choices:
    maybe: int | None = None
    several: int | str | Leg | Node | None = None
    either: float | int = 0
    items: list[float] = field(default_factory=list)


LEG = record("Leg", price={"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 0})
NODE = record("Node", name="string")


@pytest.mark.parametrize(
    ("field_name", "kind", "datum", "value"),
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
def test_unions_are_resolved_branch_by_branch(field_name: str, kind: Any, datum: Any, value: Any) -> None:
    found = getattr(read(Choices, record("Choices", **{field_name: kind}), {field_name: datum}), field_name)
    assert found == value
    assert type(found) is type(value)


def test_a_branch_that_cannot_be_read_is_a_gap_and_an_error_only_where_it_occurs() -> None:
    schema = record("Trade", type="string", ticker="string", price=["null", "double", "string"])
    form = form_of(Trade)
    assert form.gaps(json.dumps(schema)) == (
        "price: expected double, but the writer has null",
        "price: expected double, but the writer has string",
    )
    reader = form.reader(json.dumps(schema))
    assert reader(written(schema, {"type": "", "ticker": "", "price": 2.0}), 0).price == 2.0
    with pytest.raises(CodecError, match="price: expected double, but the writer has null"):
        reader(written(schema, {"type": "", "ticker": "", "price": None}), 0)


SYMBOLS = {"type": "enum", "name": "Side", "symbols": ["SELL", "HOLD", "BUY"]}


def test_symbols_are_matched_by_name_and_unknown_ones_are_a_gap() -> None:
    form = form_of(Side)
    assert form.gaps(json.dumps(SYMBOLS)) == ("the reader's enum eddyline.Side has not HOLD",)
    reader = form.reader(json.dumps(SYMBOLS))
    assert reader(written(SYMBOLS, "BUY"), 0) is Side.BUY
    with pytest.raises(CodecError, match="'HOLD' is not one of BUY, SELL"):
        reader(written(SYMBOLS, "HOLD"), 0)


def test_an_enum_with_a_member_unknown_takes_that_for_other_symbols() -> None:
    schema = {"type": "enum", "name": "Level", "symbols": ["INFO", "TRACE"]}
    assert form_of(Level).gaps(json.dumps(schema)) == ()
    assert read(Level, schema, "TRACE") is Level.UNKNOWN


def test_an_enum_is_read_from_text_too() -> None:
    assert read(Side, "string", "SELL") is Side.SELL


def test_a_value_of_no_known_type_is_read_from_any_schema_as_plain_data() -> None:
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
    assert read(Any, schema, datum) == expected
    assert read(dict[str, Any], schema, datum) == expected


def test_a_schema_that_refers_to_others_is_read_with_them() -> None:
    outer = record("Trade", type="string", ticker="string", price="com.money.Price")
    price = {"type": "record", "name": "Price", "namespace": "com.money", "fields": [{"name": "amount", "type": "double"}]}

    @dataclass
    class Price:
        amount: float

    OuterTrade = make_dataclass("Trade", [("type", str), ("ticker", str), ("price", Price)])  # noqa: N806 - a class
    inlined = {**outer, "fields": [*outer["fields"][:2], {"name": "price", "type": price}]}
    data = written(inlined, {"type": "a", "ticker": "b", "price": {"amount": 2.5}})
    found = form_of(OuterTrade).reader(json.dumps(outer), (json.dumps(price),))(data, 0)
    assert found.price == Price(2.5)


@pytest.mark.parametrize(
    ("hint", "schema", "message"),
    [
        (Trade, record("Other", type="string"), "expected the record eddyline.Trade, but the writer has record Other"),
        (
            Trade,
            record("Trade", type="string"),
            "ticker: the writer does not have it, and it has no default; the writer has: type",
        ),
        (Trade, record("Trade", type="long"), "type: expected string, but the writer has long"),
        (int, "double", "expected long, but the writer has double"),
        (bool, "int", "expected boolean, but the writer has int"),
        (list[int], {"type": "array", "items": "string"}, r"\[\]: expected long, but the writer has string"),
        (dict[str, int], "string", "expected map, but the writer has string"),
        (int | str, "boolean", "expected long or string, but the writer has boolean"),
        (Side, "long", "expected the enum eddyline.Side, but the writer has long"),
        (Literal["a"], "long", "expected string, but the writer has long"),
    ],
    ids=str,
)
def test_a_schema_that_is_not_ours_is_refused_with_the_place(hint: object, schema: Any, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        form_of(hint).reader(json.dumps(schema))
    assert form_of(hint).gaps(json.dumps(schema))


KINDS = [int, float, str, bytes, int | None, str | None, list[int], list[float], dict[str, int], Side]
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**31), 2**31),
    float: st.floats(allow_nan=False),
    str: st.text(max_size=5),
    bytes: st.just(b"abc"),
    int | None: st.none() | st.integers(0, 9),
    str | None: st.none() | st.text(max_size=5),
    list[int]: st.lists(st.integers(0, 9), max_size=3),
    list[float]: st.lists(st.floats(0, 1), max_size=3),
    dict[str, int]: st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=2),
    Side: st.sampled_from(Side),
}
DEFAULTS: dict[Any, Any] = {int: 7, float: 0.5, str: "x", int | None: 7, str | None: None, Side: Side.BUY}


@st.composite
def versions(draw: st.DrawFn) -> tuple[type, type, Any]:
    """Two versions of a dataclass and a value of the first."""
    names = st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, min_size=1)
    kinds = {name: draw(st.sampled_from(KINDS)) for name in "abcd"}
    old = draw(names)
    new = []
    for name in draw(names):
        kind = draw(st.sampled_from(KINDS)) if draw(st.integers(0, 3)) == 0 else kinds[name]
        default = DEFAULTS.get(kind, MISSING) if name not in old or draw(st.booleans()) else MISSING
        new.append((name, kind, field(default=default, kw_only=True)))
    value = {name: draw(VALUES[kinds[name]]) for name in old}
    writer = make_dataclass("Rec", [(name, kinds[name]) for name in old])
    return writer, make_dataclass("Rec", new), writer(**value)


@given(versions())
def test_resolution_agrees_with_fastavros_own_wherever_both_answer(case: tuple[type, type, Any]) -> None:
    writer, reader, value = case
    ours, theirs = form_of(reader), form_of(writer)
    data = theirs.payload(value, b"")
    old, new = (fastavro.parse_schema(json.loads(form.schema_text)) for form in (theirs, ours))
    try:
        expected = fastavro.schemaless_reader(io.BytesIO(data), old, new)
    except (fastavro.read.SchemaResolutionError, UnicodeDecodeError):
        if not _text_meets_enum(writer, reader):
            with pytest.raises(CodecError):
                ours.reader(theirs.schema_text)(data, 0)
        return
    found = ours.reader(theirs.schema_text)(data, 0)
    assert _plain(asdict(found)) == expected


def _text_meets_enum(writer: type, reader: type) -> bool:
    """Whether a field is text on one side and an enum on the other: there we answer, and fastavro does not."""
    old, new = writer.__annotations__, reader.__annotations__
    return any(Side in (old[name], new[name]) and old[name] != new[name] for name in old.keys() & new.keys())


def _plain(item: Any) -> Any:
    if isinstance(item, Enum):
        return item.name
    if isinstance(item, dict):
        return {name: _plain(value) for name, value in item.items()}
    return item
