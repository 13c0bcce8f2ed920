from dataclasses import dataclass
from enum import Enum

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic.alias_generators import to_camel

from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.names import camel_case, is_full_name, is_name, simple_name
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.schema import schema_for
from tests.adapters.avro.models import Node, Side


@given(st.from_regex(r"_?[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*_?", fullmatch=True))
@example("p50_ms")
@example("p5a_x")
@example("p50ms")
@example("minPrice")
def test_field_names_are_the_same_as_in_json(name: str) -> None:
    assert camel_case(name) == to_camel(name)


@pytest.mark.parametrize(
    ("name", "name_is_valid", "full_name_is_valid"),
    [
        ("Trade", True, True),
        ("com.acme.Trade", False, True),
        ("1x", False, False),
        ("Größe", False, False),
        ("a..b", False, False),
    ],
)
def test_names_consist_of_ascii_letters_digits_and_underscores(name: str, name_is_valid: bool, full_name_is_valid: bool) -> None:
    assert (is_name(name), is_full_name(name)) == (name_is_valid, full_name_is_valid)


def test_the_simple_name_has_no_namespace() -> None:
    assert (simple_name("com.acme.Trade"), simple_name("Trade")) == ("Trade", "Trade")


def test_a_name_without_a_namespace_is_that_of_the_record() -> None:
    schema = schema_for(Node, AvroOptions(names={"Node": "Inside"}))
    assert (schema["name"], "namespace" in schema) == ("Inside", False)


class _OtherSide:
    class Side(Enum):
        LEFT = 1


@dataclass
class SameEnumName:
    one: Side
    two: "_OtherSide.Side"


def test_two_enums_of_the_same_name_are_an_error() -> None:
    message = r"models\.Side' and '.*\._OtherSide\.Side' have the same name 'eddyline\.Side' in Avro"
    with pytest.raises(AvroSchemaError, match=message):
        schema_for(SameEnumName)
