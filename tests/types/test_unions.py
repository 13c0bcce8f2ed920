"""What is written as one type in a union, or as a subclass, comes back as it was, or is refused: there is no third outcome."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, make_dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from functools import partial
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypedDict, Union
from uuid import UUID

import pytest
from pydantic import BaseModel

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.codecs.kept import Comparison
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.adapters.protobuf.format import ProtobufFormat
from eddyline.adapters.registry.json_schema import JsonSchemaFormats
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.application.ports.codec import CodecError, TopicTypes, UnsupportedTypeError


@dataclass(frozen=True)
class Paid:
    amount: int


@dataclass(frozen=True)
class PaidAbroad(Paid):
    currency: str = "usd"


@dataclass(frozen=True)
class Refunded:
    amount: int


@dataclass(frozen=True)
class Closed:
    reason: str
    kind: Literal["closed"] = "closed"


class Side(Enum):
    BUY = "buy"


class Mode(StrEnum):
    BUY = "buy"


class Level(IntEnum):
    LOW = 1


class Point(NamedTuple):
    x: int
    y: int


class Place(TypedDict):
    amount: int


class Model(BaseModel):
    amount: int


NOON = datetime(2024, 1, 2, 12, tzinfo=UTC)
VALUES: Mapping[Any, list[Any]] = {
    str: ["a", "1", "1.5", "true", "2024-01-02", "2024-01-02T12:00:00Z", "12:00", "PT1S", "buy", "text", str(UUID(int=1)), ""],
    int: [0, 1, -5, 10**18],
    float: [0.0, -0.0, 1.0, 1.5, float("inf")],
    bool: [True, False],
    Decimal: [Decimal("1.5"), Decimal(1)],
    bytes: [b"ab", b"\xff", b""],
    datetime: [NOON, NOON.replace(hour=0)],
    date: [NOON.date()],
    time: [time(12), time(3, 4, 5, 6)],
    timedelta: [timedelta(seconds=1), timedelta(0)],
    UUID: [UUID(int=1)],
    Side: [Side.BUY],
    Mode: [Mode.BUY],
    Level: [Level.LOW],
    Literal["a", "buy"]: ["a", "buy"],
    list[int]: [[1], [], [1, 2]],
    tuple[int, ...]: [(1,), (), (1, 2)],
    tuple[int, int]: [(1, 2)],
    set[int]: [{1}, set(), {1, 2}],
    frozenset[int]: [frozenset({1}), frozenset()],
    dict[str, int]: [{"amount": 1}, {}, {"x": 1}],
    dict[int, int]: [{1: 2}, {}],
    Paid: [Paid(1), PaidAbroad(1)],
    PaidAbroad: [PaidAbroad(1), PaidAbroad(1, "eur")],
    Refunded: [Refunded(1)],
    Closed: [Closed("late")],
    Point: [Point(1, 2)],
    Place: [{"amount": 1}],
    Model: [Model(amount=1)],
}
"""Values of each type, also such as look like those of another type."""

EXACTLY = Comparison(has_unions=True, has_untyped=False, is_strict=True)
RoundTrip = Callable[[Any], Any]


def in_json(hint: Any, codecs: JsonCodecs) -> RoundTrip:
    codecs.check((), [TopicTypes("t", None, hint)])
    codec = codecs.for_value("t", hint)
    return lambda value: codec.decode(codec.encode(value))


def in_avro(hint: Any) -> RoundTrip:
    avro = AvroFormat(hint)
    decode = avro.decoder(avro.schema_text)
    return lambda value: decode(avro.encode(value, b""), 0)


def in_protobuf(hint: Any) -> RoundTrip:
    protobuf = ProtobufFormat(hint)
    decode = protobuf.decoder(protobuf.schema_text)
    return lambda value: decode(protobuf.encode(value, b""), 0)


CODECS: Mapping[str, Callable[[Any], RoundTrip]] = {
    "json": partial(in_json, codecs=JsonCodecs(quoted=True)),
    "lax json": partial(in_json, codecs=JsonCodecs(quoted=True, choices=TypeChoices({"types": "lax"}))),
    "avro": in_avro,
    "protobuf": in_protobuf,
}


def inside(hint: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return a dataclass with a field of a type, and what creates it."""
    found = make_dataclass("Inside", [("before", int), ("value", hint)])
    return found, lambda value: found(1, value)


WAYS: list[Callable[[Any], tuple[Any, Callable[[Any], Any]]]] = [
    lambda hint: (hint, lambda value: value),
    inside,
    lambda hint: (list[hint], lambda value: [value]),  # type: ignore[valid-type] # a value
    lambda hint: (dict[str, hint], lambda value: {"a": value}),  # type: ignore[valid-type] # likewise
    lambda hint: (tuple[int, hint | None], lambda value: (1, value)),  # type: ignore[valid-type] # likewise
]
"""Types that contain a type, and what puts a value into a value of them."""


def changed(codec: str, way: int, hint: Any, values: list[Any], kept: Comparison) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the values that do not come back as they were, although nothing has refused them."""
    declared, put = WAYS[way % len(WAYS)](hint)
    try:
        round_trip = CODECS[codec](declared)
    except UnsupportedTypeError:
        return
    for value in map(put, values):
        try:
            found = round_trip(value)
        except CodecError:
            continue
        if not kept.is_kept(value, found):
            yield declared, value, found


@pytest.mark.parametrize("codec", CODECS)
def test_a_value_of_a_union_comes_back_as_it_was_or_is_refused(codec: str) -> None:
    for number, (one, other) in enumerate(combinations(VALUES, 2)):
        pair = (one, other) if number % 2 else (other, one)
        union: Any = Union[pair]  # noqa: UP007 - a value
        assert list(changed(codec, number // 2, union, [*VALUES[one], *VALUES[other]], EXACTLY)) == [], union


@pytest.mark.parametrize("codec", CODECS)
def test_a_value_of_another_type_comes_back_equal_or_is_refused(codec: str) -> None:
    kept = Comparison(has_unions=False, has_untyped=False, is_strict=codec != "lax json")
    values = [value for values in VALUES.values() for value in values]
    for declared in VALUES:
        for way in range(len(WAYS)):
            assert list(changed(codec, way, declared, values, kept)) == []


@pytest.mark.parametrize(
    "hint",
    [Paid | Refunded, list[int] | tuple[int, ...], set[int] | frozenset[int], Mode | Literal["buy"], bytes | str, Level | int],
)
def test_a_union_of_types_that_json_does_not_distinguish_can_be_read_but_not_written(hint: Any) -> None:
    codecs = JsonCodecs()
    for declared in (hint, inside(hint)[0], dict[str, list[hint]]):
        codecs.check([TopicTypes("t", str, declared)], ())
        codecs.for_value("t", declared)
        with pytest.raises(UnsupportedTypeError, match=r"the values of topic 't': .* would come back from JSON as .*Literal"):
            codecs.check((), [TopicTypes("t", str, declared)])


def test_a_union_with_a_json_schema_is_registered_only_if_its_types_are_distinct() -> None:
    formats = JsonSchemaFormats(JsonCodecs(quoted=True), json_schema_of)
    assert "anyOf" in formats(SerializationContext("t", "value"), Paid | Closed).schema_text
    refused = formats(SerializationContext("t", "value"), Paid | Refunded)
    assert refused.decoder("{}", ())(b'{"amount":1}', 0) == Paid(1)
    with pytest.raises(UnsupportedTypeError, match=r"the values of topic 't': .* would come back from JSON as"):
        _ = refused.schema_text


@pytest.mark.parametrize(
    ("union", "text", "found"),
    [
        (date | str, '"2024-01-02"', NOON.date()),
        (datetime | str, '"2024-01-02T12:00:00Z"', NOON),
        (datetime | str, '"2024-01-02 is a day"', "2024-01-02 is a day"),
        (Decimal | str, '"1.50"', Decimal("1.50")),
        (Mode | str, '"buy"', Mode.BUY),
        (Mode | str, '"hold"', "hold"),
        (int | float, "1", 1),
        (int | float, "1.0", 1.0),
        (Paid | PaidAbroad, '{"amount":1}', Paid(1)),
        (Paid | PaidAbroad, '{"amount":1,"currency":"eur"}', PaidAbroad(1, "eur")),
        (Paid | Refunded, '{"amount":1}', Paid(1)),
    ],
)
def test_what_is_read_does_not_depend_on_the_order_of_the_types(union: Any, text: str, found: Any) -> None:
    for declared in (union, Union[tuple(reversed(union.__args__))]):  # noqa: UP007 - a value
        both = make_dataclass("Both", [("value", declared)])
        read = JsonCodecs().for_value("t", both).decode(f'{{"value":{text}}}'.encode())
        assert (read.value, type(read.value)) == (found, type(found))


def test_a_part_that_would_change_is_named_with_its_path() -> None:
    order = make_dataclass("Order", [("parts", list[Paid | str])])
    codec = JsonCodecs().for_value("t", order)
    with pytest.raises(CodecError, match=r"^Order: parts\[1\]: PaidAbroad\(.*\) would come back .* as Paid\(amount=1\); let"):
        codec.encode(order(["a", PaidAbroad(1)]))
