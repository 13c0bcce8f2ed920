"""The types that codecs support: a value of each, and JSON that is refused. The page about types is made from this table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, Generic, Literal, NamedTuple, TypedDict, TypeVar
from uuid import UUID

from pydantic import BaseModel
from pydantic.dataclasses import dataclass as pydantic_dataclass

T = TypeVar("T")


class Side(Enum):
    BUY = "buy"
    SELL = "sell"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True)
class Line:
    sku: str
    pieces: int = 1


@dataclass(frozen=True)
class Order:
    order_id: str
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True)
class Box(Generic[T]):
    content: T


@dataclass(frozen=True)
class Opened:
    kind: Literal["opened"]
    by: str


@dataclass(frozen=True)
class Closed:
    kind: Literal["closed"]
    by: str


class Position(TypedDict):
    lat: float
    lon: float


class Point(NamedTuple):
    x: int
    y: int


class Model(BaseModel):
    sent_at: datetime


@pydantic_dataclass
class Checked:
    sent_at: datetime


class Row(NamedTuple):
    """A type: how it is written in annotations, a value, that value in JSON, and JSON that is refused.

    `lax` is what of the refused JSON becomes with `types=lax`: the value, or nothing if it stays refused.
    """

    name: str
    declared: Any
    value: Any
    json: str
    refused: Sequence[str] = ()
    lax: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple copies no defaults, and nobody changes it


_AT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
_FIRST = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
_NOT_SENT = ("{}", '{"sent_at":"1"}')
_ID = UUID("123e4567-e89b-12d3-a456-426614174000")

TABLE: tuple[Row, ...] = (
    Row("str", str, "a", '"a"', ("1", "true")),
    Row("int", int, 5, "5", ("true", '"5"', "5.0"), {"true": 1, '"5"': 5, "5.0": 5}),
    Row("float", float, 1.5, "1.5", ("true", '"1.5"'), {"true": 1.0, '"1.5"': 1.5}),
    Row("bool", bool, True, "true", ("1", '"true"'), {"1": True, '"true"': True}),
    Row("Decimal", Decimal, Decimal("12345678901234567.890"), '"12345678901234567.890"', ("true", '"much"')),
    Row("bytes", bytes, b"\xff\x00", '"_wA="', ("1", '"%"')),
    Row(
        "datetime",
        datetime,
        _AT,
        '"2024-01-02T03:04:05Z"',
        ("1704164645", '"1704164645"'),
        {"1704164645": _AT, '"1704164645"': _AT},
    ),
    Row("date", date, date(2024, 1, 2), '"2024-01-02"', ("19724", '"2024-13-02"')),
    Row("time", time, time(3, 4, 5), '"03:04:05"', ("11045",), {"11045": time(3, 4, 5, tzinfo=UTC)}),
    Row(
        "timedelta", timedelta, timedelta(hours=1, seconds=1.5), '"PT1H1.5S"', ("3601.5",), {"3601.5": timedelta(seconds=3601.5)}
    ),
    Row("UUID", UUID, _ID, '"123e4567-e89b-12d3-a456-426614174000"', ("1", '"123"')),
    Row("Enum", Side, Side.BUY, '"buy"', ('"BUY"', "1")),
    Row("IntEnum", Level, Level.LOW, "1", ("true", '"LOW"', "3"), {"true": Level.LOW}),
    Row('Literal["a", "b"]', Literal["a", "b"], "a", '"a"', ('"c"', "1")),
    Row("X | None", int | None, None, "null", ("true",), {"true": 1}),
    Row("int | str", int | str, "5", '"5"', ("true",), {"true": 1}),
    Row("list[X]", list[int], [1, 2], "[1,2]", ("1", '["1"]', "{}"), {'["1"]': [1]}),
    Row("tuple[X, ...]", tuple[int, ...], (1, 2), "[1,2]", ('["1"]',), {'["1"]': (1,)}),
    Row("tuple[X, Y]", tuple[int, str], (1, "a"), '[1,"a"]', ("[1]", '[1,"a",2]')),
    Row("set[X]", set[int], {1}, "[1]", ('["1"]',), {'["1"]': {1}}),
    Row("frozenset[X]", frozenset[int], frozenset({1}), "[1]", ('["1"]',), {'["1"]': frozenset({1})}),
    Row("dict[str, X]", dict[str, int], {"a": 1}, '{"a":1}', ("[]", '{"a":"1"}'), {'{"a":"1"}': {"a": 1}}),
    Row("dict[int, X]", dict[int, int], {1: 2}, '{"1":2}', ('{"a":1}',)),
    Row("a dataclass", Order, Order("o1", [Line("s", 2)]), '{"order_id":"o1","lines":[{"sku":"s","pieces":2}]}', ("[]", "{}")),
    Row("a generic dataclass", Box[int], Box(1), '{"content":1}', ('{"content":"1"}',), {'{"content":"1"}': Box(1)}),
    Row(
        "a union of dataclasses",
        Opened | Closed,
        Closed("closed", "ann"),
        '{"kind":"closed","by":"ann"}',
        ('{"kind":"other","by":"a"}',),
    ),
    Row(
        "TypedDict",
        Position,
        {"lat": 1.5, "lon": 2.5},
        '{"lat":1.5,"lon":2.5}',
        ("{}", '{"lat":1.5,"lon":"2"}'),
        {'{"lat":1.5,"lon":"2"}': {"lat": 1.5, "lon": 2.0}},
    ),
    Row("NamedTuple", Point, Point(1, 2), "[1,2]", ("[1]", '["1",2]'), {'["1",2]': Point(1, 2)}),
    Row(
        "a pydantic model",
        Model,
        Model(sent_at=_AT),
        '{"sent_at":"2024-01-02T03:04:05Z"}',
        _NOT_SENT,
        {_NOT_SENT[1]: Model(sent_at=_FIRST)},
    ),
    Row(
        "a pydantic dataclass",
        Checked,
        Checked(_AT),
        '{"sent_at":"2024-01-02T03:04:05Z"}',
        _NOT_SENT,
        {_NOT_SENT[1]: Checked(_FIRST)},
    ),
    Row("Any", Any, {"a": [1, None, "b"]}, '{"a":[1,null,"b"]}'),
)
