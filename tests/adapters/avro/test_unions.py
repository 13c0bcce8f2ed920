"""The branch of a union is chosen by the class of the value, and incompatible branches are reported."""

import json
from dataclasses import dataclass
from typing import Literal

import pytest

from eddyline.adapters.avro.format import AvroFormat


@dataclass
class Part:
    x: int


@dataclass
class Parts:
    first: Part | None
    second: Part | None


def test_an_incompatible_record_is_reported_wherever_it_occurs() -> None:
    part = {"type": "record", "name": "Part", "fields": [{"name": "x", "type": "string"}]}
    fields = [{"name": "first", "type": ["null", part]}, {"name": "second", "type": ["null", "Part"]}]
    schema = {"type": "record", "name": "Parts", "fields": fields}
    assert AvroFormat(Parts).incompatibilities(json.dumps(schema)) == (
        "first: expected eddyline.Part or null, found record Part in the writer's schema",
        "second: expected eddyline.Part or null, found record Part in the writer's schema",
    )


@pytest.mark.parametrize(
    ("value", "hint"), [(5, float | int), (True, int | bool), (5.0, int | float), ("a", Literal["a"] | None)]
)
def test_the_branch_of_a_union_is_that_of_the_values_own_class(value: object, hint: object) -> None:
    avro = AvroFormat(hint)
    found = avro.decoder(avro.schema_text)(avro.encode(value, b""), 0)
    assert (found, type(found)) == (value, type(value))
