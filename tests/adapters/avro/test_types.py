"""Values of every kind of type that JSON has, too, are written and read alike."""

import json
from dataclasses import dataclass, make_dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, NamedTuple, NotRequired, TypedDict, TypeVar
from uuid import UUID

import pytest
from pydantic import AliasChoices, BaseModel, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass

from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.schema import schema_for
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.test_schema_resolution import encoded, record

T = TypeVar("T")


class Kind(Enum):
    BIG = "b"
    SMALL = "s"


class Point(NamedTuple):
    x: int
    y_value: float = 0.5


class Address(TypedDict):
    street: str
    zip_code: NotRequired[int]


class Late(TypedDict):
    """As in a module with `from __future__ import annotations`."""

    street: "str"
    zip_code: "NotRequired[int]"


class Full(BaseModel, Generic[T]):
    content: T


class Person(BaseModel):
    full_name: str
    age: Annotated[int, Field(ge=0)] = 0
    tags: list[str] = Field(default_factory=list)
    home: Annotated[str, Field(alias="homeTown", validation_alias=AliasChoices("homeTown", "town"))] = ""


@pydantic_dataclass
class Checked:
    amount: Annotated[int, Field(gt=0)]
    note: str = Field(default="", alias="remark")


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]


@dataclass(frozen=True)
class All:
    took: timedelta
    names: set[str]
    numbers: frozenset[int]
    point: Point
    address: Address
    person: Person
    checked: Checked
    page: Page[Point]
    kinds: dict[Kind, set[int]]
    either: Point | Person | None
    days: dict[date, time | None]


ALL = All(
    timedelta(days=-1, microseconds=7),
    {"b", "a", "c"},
    frozenset({3, 1}),
    Point(1, 2.5),
    {"street": "x"},
    Person(full_name="Ada", age=3, tags=["a"], homeTown="Rome"),
    Checked(5, remark="r"),
    Page([Point(1), Point(2)]),
    {Kind.SMALL: {1}},
    Person(full_name="Ben"),
    {date(2024, 2, 29): time(1, 2), date(2024, 3, 1): None},
)


def test_every_value_comes_back_as_it_was() -> None:
    avro = AvroFormat(All)
    found = avro.decoder(avro.schema_text)(avro.encode(ALL, b""), 0)
    assert found == ALL
    assert [type(value) for value in vars(found).values()] == [type(value) for value in vars(ALL).values()]
    assert avro.incompatibilities(avro.schema_text) == ()


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (timedelta, timedelta(seconds=1)),
        (set[Point], {Point(1), Point(2)}),
        (set, {1, "a"}),
        (Point, Point(1)),
        (Address, {"street": "x", "zip_code": 5}),
        (Address | None, {"street": "x"}),
        (Person, Person(full_name="Ada")),
        (Checked, Checked(1)),
        (Point | int, Point(1)),
        (Late, {"street": "x"}),
        (Full[Point], Full[Point](content=Point(1))),
    ],
    ids=map(str, range(11)),
)
def test_a_value_by_itself_comes_back_as_it_was(hint: Any, value: Any) -> None:
    avro = AvroFormat(hint)
    found = avro.decoder(avro.schema_text)(avro.encode(value, b""), 0)
    assert (found, type(found)) == (value, type(value))


def test_the_order_of_a_set_does_not_count() -> None:
    avro = AvroFormat(set[str])
    assert avro.encode(set("abcdef"), b"") == avro.encode(set("fedcba"), b"") == avro.encode(frozenset("cdabef"), b"")


def test_fields_have_their_names_and_defaults() -> None:
    fields = {each["name"]: each.get("default") for each in schema_for(Person)["fields"]}
    assert fields == {"full_name": None, "age": 0, "tags": [], "homeTown": ""}
    assert [each["name"] for each in schema_for(Checked)["fields"]] == ["amount", "remark"]
    assert schema_for(Address)["fields"][1] == {"name": "zip_code", "type": ["null", "long"], "default": None}
    assert schema_for(timedelta) == {"type": "long", "logicalType": "duration-micros"}
    written = record("Person", fullName="string", town="string")
    data = encoded(written, {"fullName": "Ada", "town": "Oslo"})
    assert AvroFormat(Person).decoder(json.dumps(written))(data, 0) == Person(full_name="Ada", homeTown="Oslo")


def test_what_a_model_refuses_is_an_error() -> None:
    written = record("Person", full_name="string", age="long")
    with pytest.raises(CodecError, match=r"age.*greater than or equal to 0") as caught:
        AvroFormat(Person).decoder(json.dumps(written))(encoded(written, {"full_name": "Ada", "age": -1}), 0)
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(CodecError, match=r"address.street|street: expected str, found None"):
        AvroFormat(Address).encode({}, b"")


DURATION = {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}


def test_avros_own_duration_is_read_unless_it_has_months() -> None:
    decode = AvroFormat(timedelta).decoder(json.dumps(DURATION))
    assert decode(b"\0\0\0\0\x02\0\0\0\x05\0\0\0", 0) == timedelta(days=2, milliseconds=5)
    with pytest.raises(CodecError, match="a duration with 1 months has no length in days"):
        decode(b"\1\0\0\0\x02\0\0\0\x05\0\0\0", 0)


class Ambiguous(TypedDict):
    code: NotRequired[int | None]


def test_a_key_that_may_be_missing_or_none_is_refused() -> None:
    with pytest.raises(AvroSchemaError, match=r"Ambiguous\.code: Avro cannot distinguish a key that is missing"):
        AvroFormat(Ambiguous)


LAX = [
    (int, "string", "5", 5),
    (int, "double", 5.0, 5),
    (int, "boolean", True, 1),
    (float, "string", "0.5", 0.5),
    (bool, "string", "true", True),
    (bool, "int", 0, False),
    (Decimal, "string", "1.50", Decimal("1.50")),
    (Decimal, "double", 0.1, Decimal("0.1")),
    (Decimal, "long", 7, Decimal(7)),
    (datetime, "string", "2024-02-29T12:00:00Z", datetime(2024, 2, 29, 12, tzinfo=UTC)),
    (date, "string", "2024-02-29", date(2024, 2, 29)),
    (time, "string", "01:02:03", time(1, 2, 3)),
]


@pytest.mark.parametrize(("hint", "schema", "datum", "value"), LAX, ids=str)
def test_values_of_other_types_are_converted_only_with_lax_types(hint: Any, schema: str, datum: Any, value: Any) -> None:
    written = json.dumps(schema)
    found = AvroFormat(hint, lax=True).decoder(written)(encoded(schema, datum), 0)
    assert (found, type(found)) == (value, type(value))
    assert AvroFormat(hint, lax=True).incompatibilities(written) == ()
    with pytest.raises(CodecError, match=f"expected .*, found {schema} in the writer's schema"):
        AvroFormat(hint).decoder(written)


@pytest.mark.parametrize(
    ("hint", "schema", "datum"), [(int, "string", "x"), (int, "double", 0.5), (bool, "int", 2), (UUID, "string", "x")]
)
def test_a_value_that_cannot_be_converted_is_an_error_with_its_path(hint: Any, schema: str, datum: Any) -> None:
    row = make_dataclass("Row", [("a", hint)])
    written = record("Row", a=schema)
    with pytest.raises(CodecError, match=r"^a: (cannot decode|expected)"):
        AvroFormat(row, lax=True).decoder(json.dumps(written))(encoded(written, {"a": datum}), 0)
