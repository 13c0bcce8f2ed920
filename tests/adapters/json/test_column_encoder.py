"""Many values are encoded to the same bytes as one by one, and those that msgspec writes in another way are left to pydantic."""

import math
from dataclasses import dataclass
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.column_encoder import column_encoder
from eddyline.adapters.json.type_adapter import Shape
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.application.ports.codec import CodecError


@dataclass(frozen=True, slots=True)
class Reading:
    sensor_id: str | None
    value: float
    read_at: int = 0
    valid: bool = True
    previous_value: float | None = None


@dataclass
class Position:
    x: int
    y: int


@dataclass
class Nested:
    at: Position
    name: str = ""


@dataclass
class Name:
    text: str


@dataclass
class Nothing:
    pass


@dataclass
class Renamed:
    x: int = pydantic.Field(serialization_alias="abscissa")
    y: int = 0


_TEXTS = st.none() | st.text() | st.just("\ud800")
_FLOATS = st.floats() | st.floats(-1e3, 1e3) | st.sampled_from([1e16, -1e16, 1e-5, -0.0, 5e-324])
_READINGS = st.builds(Reading, _TEXTS, _FLOATS, st.integers(), st.booleans(), st.none() | _FLOATS)


@pytest.mark.parametrize("shape", [Shape("camelCase"), Shape("as-declared")])
@given(values=st.lists(_READINGS | st.none(), max_size=12))
def test_many_values_are_encoded_as_one_by_one(values: list[Reading | None], shape: Shape) -> None:
    codec = TypedJsonCodec(Reading, shape)
    assert _outcome(codec.encode_all, values) == _outcome(lambda all_: list(map(codec.encode, all_)), values)


def test_values_and_deletions_are_encoded_by_msgspec() -> None:
    encode = column_encoder(Reading, "camelCase")
    assert encode is not None
    assert encode([Reading("a\n", 0.5, 2), None, Reading(None, 1e15, 3, previous_value=1e-7)]) == [
        b'{"sensorId":"a\\n","value":0.5,"readAt":2,"valid":true,"previousValue":null}',
        None,
        b'{"sensorId":null,"value":1000000000000000.0,"readAt":3,"valid":true,"previousValue":1e-7}',
    ]


def test_numbers_that_are_very_large_together_are_encoded_by_msgspec() -> None:
    encode = column_encoder(Reading, "camelCase")
    assert encode is not None
    found = encode([Reading("a", 9e15)] * 4)
    assert found is not None
    assert [data and data.split(b",")[1] for data in found] == [b'"value":9000000000000000.0'] * 4


def test_a_dataclass_of_one_field_is_encoded_by_msgspec() -> None:
    encode = column_encoder(Name, "camelCase")
    assert encode is not None
    assert list(encode([Name("a"), Name("b")]) or ()) == [b'{"text":"a"}', b'{"text":"b"}']
    assert list(TypedJsonCodec(Name).encode_all([Name("a")] * 5)) == [b'{"text":"a"}'] * 5


def test_a_dataclass_without_fields_is_encoded_by_pydantic() -> None:
    assert column_encoder(Nothing, "camelCase") is None
    assert TypedJsonCodec(Nothing).encode_all([Nothing()] * 5) == [b"{}"] * 5


@pytest.mark.parametrize(
    "value",
    [
        Reading("a", math.nan),
        Reading("a", 1.0, previous_value=-math.inf),
        Reading("a", 1e16),
        Reading("a", 1.0, previous_value=-1e16),
        Reading("a", 1),
        Reading("a", 1.0, True),
        Reading("a", 1.0, None),  # type: ignore[arg-type] # like the others, which mypy accepts
        Reading("\ud800", 1.0),
    ],
)
def test_pydantic_encodes_values_that_msgspec_writes_in_another_way(value: Reading) -> None:
    encode = column_encoder(Reading, "camelCase")
    assert encode is not None
    assert encode([Reading("b", 1.0), value]) is None


def test_pydantic_encodes_values_of_another_class_and_with_other_attributes() -> None:
    encode = column_encoder(Position, "camelCase")
    assert encode is not None
    position = Position(1, 2)
    assert list(encode([position]) or ()) == [b'{"x":1,"y":2}']
    assert encode([position, (1, 2)]) is None
    position.z = 3  # type: ignore[attr-defined] # that is the point
    assert encode([position]) is None


def test_pydantic_encodes_dataclasses_whose_names_in_json_are_not_known() -> None:
    assert column_encoder(Renamed, "camelCase") is None


def test_values_within_values_are_encoded_one_by_one() -> None:
    value = Nested(Position(1, 2))
    assert list(TypedJsonCodec(Nested).encode_all([value] * 9)) == [b'{"at":{"x":1,"y":2},"name":""}'] * 9


def _outcome(encode: Any, values: list[Any]) -> list[bytes | None] | str:
    try:
        return list(encode(values))
    except CodecError as error:
        return str(error)
