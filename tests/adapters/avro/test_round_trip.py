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

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.avro.options import AvroOptions
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Everything, Leg, Level, Node, Pair, Side, Trade

FORMATS = AvroFormats()


def formats(hint: object, options: AvroOptions | None = None) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    form = AvroFormats(options)("topic", "value", hint)
    reader = form.reader(form.schema_text)
    return lambda value: form.payload(value, b""), lambda data: reader(data, 0)


longs = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
decimals = st.decimals(min_value=-(10**20), max_value=10**20, places=9, allow_nan=False, allow_infinity=False)
legs = st.builds(Leg, decimals, st.lists(texts, max_size=3).map(tuple))
jsons = st.recursive(
    st.none() | st.booleans() | longs | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
everything = st.builds(
    Everything,
    text=texts,
    whole=longs,
    fraction=st.floats(allow_nan=False),
    truth=st.booleans(),
    raw=st.binary(max_size=20),
    money=decimals,
    day=st.dates(),
    clock=st.times(),
    instant=st.datetimes(timezones=st.just(UTC)),
    identity=st.uuids(),
    side=st.sampled_from(Side),
    level=st.sampled_from(Level),
    mode=st.sampled_from(["fast", "slow"]),
    legs=st.lists(legs, max_size=3),
    names=st.dictionaries(texts, longs, max_size=3),
    maybe=st.none() | texts,
    several=st.none() | longs | texts | legs | st.sampled_from(Side),
    nested=st.dictionaries(texts, st.lists(st.none() | legs, max_size=3), max_size=3),
    open_value=jsons,
    pair_of_legs=st.builds(Pair, legs, legs),
)


@given(everything)
def test_every_value_comes_back_as_it_was(value: Everything) -> None:
    write, read = formats(Everything)
    assert read(write(value)) == value


@given(everything)
def test_the_bytes_are_what_the_schema_says_to_any_reader_of_avro(value: Everything) -> None:
    form = FORMATS("topic", "value", Everything)
    schema = fastavro.parse_schema(json.loads(form.schema_text))
    plain = fastavro.schemaless_reader(io.BytesIO(form.payload(value, b"")), schema, None)
    assert isinstance(plain, dict)
    assert (plain["text"], plain["money"], plain["day"], plain["side"]) == (value.text, value.money, value.day, value.side.name)
    assert plain["identity"] == value.identity
    assert plain["clock"] == value.clock


@given(st.recursive(st.builds(Node, texts), lambda inner: st.builds(Node, texts, st.lists(inner, max_size=3)), max_leaves=12))
def test_a_tree_comes_back_as_it_was(tree: Node) -> None:
    write, read = formats(Node)
    assert read(write(tree)) == tree


@given(jsons)
def test_a_value_of_no_known_type_comes_back_as_json_would_hold_it(value: Any) -> None:
    write, read = formats(Any)
    assert read(write(value)) == value
    write, read = formats(dict[str, Any])
    assert read(write({"it": value})) == {"it": value}


def test_not_a_number_and_infinity_stay() -> None:
    write, read = formats(float)
    assert math.isnan(read(write(math.nan)))
    assert read(write(-math.inf)) == -math.inf


@pytest.mark.parametrize("value", ["text", 7, -1.5, True, b"\x00", Decimal("0.5"), date(2024, 2, 29), UUID(int=9), Side.SELL])
def test_a_single_value_needs_no_record(value: Any) -> None:
    write, read = formats(type(value))
    assert read(write(value)) == value
    assert type(read(write(value))) is type(value)


def test_an_instant_in_another_zone_is_the_same_instant() -> None:
    write, read = formats(datetime)
    instant = datetime(2024, 3, 31, 12, tzinfo=timezone(timedelta(hours=2)))
    assert read(write(instant)) == instant
    assert read(write(instant)).tzinfo is UTC


def test_an_int_goes_for_a_float_and_comes_back_as_one() -> None:
    write, read = formats(Trade)
    found = read(write(Trade("ASK", "A", 3)))
    assert type(found.price) is float


class Colour(str, Enum):  # noqa: UP042 - an enum that is a str
    RED = "red"


def test_subclasses_of_plain_types_are_written_as_those() -> None:
    write, read = formats(str)
    assert read(write(Colour.RED)) == "red"


@dataclass
class Wrapped:
    choice: Literal[1, 2]
    rate: float | None
    items: list[Leg]
    when: datetime
    table: dict[str, int]
    either: int | str


GOOD: dict[str, Any] = {
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
        ({"choice": 3}, "choice: 3 is not one of 1, 2"),
        ({"rate": "1"}, "rate: expected double or null, not str"),
        ({"rate": 10**400}, "rate: the number is too great for a double"),
        ({"items": None}, "items: expected list, not NoneType"),
        ({"items": [Leg(Decimal(1)), Leg("1")]}, "items[].price: expected Decimal, not str"),  # type: ignore[arg-type]
        ({"items": [Leg(Decimal("1E-10"))]}, "items[].price: 1E-10 has more than 9 digits after the point"),
        ({"items": [Leg(Decimal("1E+30"))]}, "items[].price: 1E+30 has more than 29 digits before the point"),
        ({"items": [Leg(Decimal("1E-999999"))]}, "more than 9 digits after the point"),
        ({"items": [Leg(Decimal("NaN"))]}, "items[].price: NaN is not a finite number"),
        ({"when": datetime(2024, 1, 1)}, "when: the datetime 2024-01-01T00:00:00 has no time zone"),  # noqa: DTZ001
        ({"when": date(2024, 1, 1)}, "when: expected datetime, not date"),
        ({"table": {1: 2}}, "table[]: the key 1 of a dict must be a str"),
        ({"table": {"a": 2**63}}, "too large to convert"),
        ({"table": {"a": True}}, "table[]: expected int, not bool"),
        ({"either": 1.5}, "either: expected long or string, not float"),
        ({"either": "\ud800"}, "surrogates not allowed"),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused_with_its_place(changed: dict[str, Any], message: str) -> None:
    write, _ = formats(Wrapped)
    write(Wrapped(**GOOD))
    with pytest.raises(CodecError) as caught:
        write(Wrapped(**{**GOOD, **changed}))
    assert message in str(caught.value)


def test_a_value_of_another_class_is_refused() -> None:
    write, _ = formats(Trade)
    with pytest.raises(CodecError, match="expected Trade, not Leg"):
        write(Leg(Decimal(1)))


def test_milliseconds_refuse_what_they_would_lose() -> None:
    write, read = formats(datetime, AvroOptions(timestamps="millis"))
    whole = datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
    assert read(write(whole)) == whole
    with pytest.raises(CodecError, match="has microseconds; round it, or set timestamps to micros"):
        write(whole + timedelta(microseconds=1))


def test_a_time_with_a_zone_is_refused() -> None:
    write, _ = formats(time)
    with pytest.raises(CodecError, match="has a time zone"):
        write(time(1, tzinfo=UTC))


def test_what_json_cannot_hold_is_refused_in_a_value_of_no_known_type() -> None:
    write, _ = formats(dict[str, Any])
    with pytest.raises(CodecError, match=r"\[\]\['a'\]\[\]: a value of type set has no form in JSON; declare the type"):
        write({"it": {"a": [set()]}})


def test_a_value_that_is_nested_too_deeply_is_refused() -> None:
    write, _ = formats(Node)
    tree = Node("leaf")
    for _ in range(5_000):
        tree = Node("", [tree])
    with pytest.raises(CodecError, match="nested too deeply"):
        write(tree)


@dataclass
class Positive:
    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("number must not be negative")


def test_a_rule_of_the_dataclass_is_checked_when_it_is_read() -> None:
    form = FORMATS("topic", "value", Positive)
    ok = Positive(1)
    ok.number = -1
    with pytest.raises(CodecError, match="number must not be negative"):
        form.reader(form.schema_text)(form.payload(ok, b""), 0)
