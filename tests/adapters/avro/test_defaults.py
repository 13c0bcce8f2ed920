"""Defaults of dataclasses are in the schema where JSON can express them; values without a type are written like JSON."""

import json
import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, Optional

import pytest

from eddyline.adapters.avro.avro_types import LONG, ArrayType, LiteralType, MapType, PrimitiveType, UnionType, branch_name
from eddyline.adapters.avro.errors import AvroSchemaError, TypeMismatchError
from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.unencodable import find_unencodable
from eddyline.adapters.avro.union_decoder import UnionDecoder
from eddyline.adapters.avro.untyped_values import encode_untyped


@dataclass(frozen=True)
class Point:
    x_value: int = 1
    y_value: float = 2.5


@dataclass(frozen=True)
class Defaults:
    numbers: tuple[int, ...] = (1, 2)
    infinite: tuple[float, ...] = (1.0, math.inf)
    raw: tuple[bytes, ...] = (b"\xff",)
    by_name: dict[str, bytes] = field(default_factory=dict)
    points: tuple[Point, ...] = (Point(), Point(3, 4.5))
    point: Point = Point(5)
    first_branches: tuple[int | str, ...] = (7, 8)
    other_branches: tuple[int | str, ...] = (7, "seven")
    optional: tuple[Optional[int], ...] = (None,)  # noqa: UP045 - both spellings
    optional_value: tuple[int | None, ...] = (7,)
    nothing: Any = None
    anything: Any = 7


def defaults() -> dict[str, Any]:
    schema = json.loads(AvroFormat(Defaults).schema_text)
    return {entry["name"]: entry["default"] for entry in schema["fields"] if "default" in entry}


def test_defaults_that_json_can_express_are_in_the_schema() -> None:
    found = defaults()
    assert found["numbers"] == [1, 2]
    assert found["raw"] == ["\xff"]
    assert found["points"] == [{"x_value": 1, "y_value": 2.5}, {"x_value": 3, "y_value": 4.5}]
    assert found["point"] == {"x_value": 5, "y_value": 2.5}
    assert found["nothing"] == {"value": None}


def test_others_are_not() -> None:
    assert {"infinite", "other_branches", "anything"}.isdisjoint(defaults())


def test_of_a_union_only_its_first_branch_can_be_part_of_a_default() -> None:
    found = defaults()
    assert found["first_branches"] == [7, 8]
    assert (found["optional"], "optional_value" in found) == ([None], False)


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        (LONG, "long"),
        (LiteralType((1, 2), LONG), "long"),
        (ArrayType(list, LONG), "array"),
        (MapType(LONG), "map"),
    ],
)
def test_a_branch_has_the_name_of_its_avro_type(branch: Any, expected: str) -> None:
    assert branch_name(branch) == expected


def test_a_union_is_no_branch() -> None:
    with pytest.raises(AvroSchemaError, match=r"^a union must not be a branch of another union$"):
        branch_name(UnionType((LONG, PrimitiveType(str, "string"))))


def test_a_literal_is_decoded_and_another_value_is_an_error_with_the_choices() -> None:
    read = AvroFormat(Literal[1, 2]).decoder(AvroFormat(int).schema_text)
    assert read(AvroFormat(int).encode(2, b""), 0) == 2
    with pytest.raises(ValueError, match="expected one of 1, 2, found 3"):
        read(AvroFormat(int).encode(3, b""), 0)


def test_a_number_is_promoted_before_it_is_compared_with_those_of_a_literal() -> None:
    read = AvroFormat(Literal["1", "2"]).decoder('"bytes"')
    assert read(AvroFormat(bytes).encode(b"2", b""), 0) == "2"


@dataclass
class Inner:
    some_name: Any


def test_a_dataclass_without_a_declared_type_is_written_as_a_map_with_names_as_in_json() -> None:
    assert encode_untyped(Inner(7), "as-declared") == {"value": ("map", {"some_name": {"value": ("long", 7)}})}
    assert encode_untyped(Inner(7), "camelCase") == {"value": ("map", {"someName": {"value": ("long", 7)}})}
    with pytest.raises(TypeMismatchError) as error:
        encode_untyped({"a": [Inner(Inner({1}))]}, "as-declared")
    assert error.value.path == "['a'][0].some_name.some_name"
    with pytest.raises(TypeMismatchError, match="JSON cannot represent"):
        encode_untyped(Inner, "as-declared")


@pytest.mark.parametrize(
    ("datum", "expected"),
    [
        ({"a": [1, True, "x", None, 2.5, b""]}, None),
        ({"a": [(1 << 63) - 1, -(1 << 63)]}, None),
        ({"a": [0, 1 << 63]}, "a[1]: 9223372036854775808 does not fit into the 64 bits of a long"),
        ({"a": [0, -(1 << 63) - 1]}, "a[1]: -9223372036854775809 does not fit into the 64 bits of a long"),
        ({"a": ("long", 1 << 64)}, "a: 18446744073709551616 does not fit into the 64 bits of a long"),
        ([[["\ud800"]]], "[0][0][0]: '\\ud800' has a lone surrogate, which UTF-8 cannot encode"),
        ({"\ud800": 1}, "'\\ud800' has a lone surrogate, which UTF-8 cannot encode"),
    ],
    ids=range(7),
)
def test_what_avro_cannot_write_is_found_with_its_path(datum: Any, expected: str | None) -> None:
    assert find_unencodable(datum) == expected


@dataclass(frozen=True)
class Holder:
    values: dict[str, bytes]
    lists: dict[str, list[bytes]]
    either: tuple[list[bytes] | str, ...]


@dataclass(frozen=True)
class Held:
    holder: Holder = Holder({"a": b"\xff"}, {"b": [b"\xfd"]}, ([b"\xfe"],))


def test_maps_and_branches_within_a_default_are_converted() -> None:
    (entry,) = json.loads(AvroFormat(Held).schema_text)["fields"]
    assert entry["default"] == {"values": {"a": "\xff"}, "lists": {"b": ["\xfd"]}, "either": [["\xfe"]]}


def test_branches_that_only_their_logical_types_distinguish_are_named_with_these() -> None:
    union = UnionDecoder(".when")
    union.add({"type": "int", "logicalType": "date"}, str)
    union.add("long", float)
    (error,) = union.ambiguous
    assert str(error) == "when: int (date) and long (no logical type) cannot be distinguished in a union of the writer's schema"


def test_branches_that_are_decoded_alike_or_both_refused_are_not_ambiguous() -> None:
    alike, refused = UnionDecoder(""), UnionDecoder("")
    for branch in ({"type": "int", "logicalType": "date"}, "long"):
        alike.add(branch, str)
        refused.refuse(branch, TypeMismatchError("no"))
    assert (alike.ambiguous, refused.ambiguous, len(refused.refused)) == ([], [], 2)


@dataclass
class WrongMap:
    by_number: dict[complex, str]


@dataclass
class WrongEnum:
    grade: Enum("Grade", ["A+"])  # type: ignore[valid-type]


@pytest.mark.parametrize(("hint", "path"), [(WrongMap, "WrongMap.by_number[].key"), (WrongEnum, "WrongEnum.grade")])
def test_the_error_for_a_type_has_the_path_of_its_field(hint: type, path: str) -> None:
    with pytest.raises(AvroSchemaError) as error:
        _ = AvroFormat(hint).schema_text
    assert str(error.value).startswith(f"{path}: ")
