from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from pydantic import Field

from eddyline.adapters.json.schema import json_schema_of


class Side(Enum):
    """Which side."""

    BUY = "buy"


@dataclass
class Inner:
    """Something inside."""

    side: Side = Side.BUY


@dataclass
class Outer:
    """Something around it."""

    inner: Inner = field(default_factory=Inner)
    size: Annotated[int, Field(description="in pieces")] = 0


def test_docstrings_are_no_part_of_a_schema_but_descriptions_of_fields_are() -> None:
    schema = json_schema_of(Outer)
    assert "description" not in schema
    assert schema["properties"]["size"]["description"] == "in pieces"
    assert all("description" not in definition for definition in schema["$defs"].values())
    assert set(schema["$defs"]) == {"Inner", "Side"}
