"""Records that refer to themselves through maps, arrays and unions, alone and one inside the other."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.test_schema_resolution import decoded, record


@dataclass(frozen=True)
class Folder:
    size: int = 0
    folders: "dict[str, Folder]" = field(default_factory=dict)


@dataclass(frozen=True)
class Index:
    pages: "dict[str, list[Index]]" = field(default_factory=dict)
    next: "Index | None" = None


@dataclass(frozen=True)
class Person:
    name: str
    accounts: "dict[str, Account]" = field(default_factory=dict)


@dataclass(frozen=True)
class Account:
    owners: "dict[str, Person | None]" = field(default_factory=dict)


@dataclass(frozen=True)
class Positive:
    size: int
    folders: "dict[str, Positive]"

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("the size is negative")


TREES = [
    Folder(1, {"a": Folder(2, {"b": Folder(3)}), "c": Folder(4)}),
    Index({"p": [Index(), Index({"q": [Index()]})]}, Index(next=Index({"r": []}))),
    Person("x", {"one": Account({"x": None, "y": Person("y", {"two": Account({"z": Person("z")})})})}),
]
FOLDER = record("Folder", size="long", folders={"type": "map", "values": "Folder"})


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: type(tree).__name__)
def test_a_record_that_refers_to_itself_through_a_map_is_decoded_as_it_was_encoded(tree: Any) -> None:
    avro = AvroFormat(type(tree))
    assert avro.decoder(avro.schema_text)(avro.encode(tree, b""), 0) == tree


def test_a_field_that_is_added_has_its_default_on_every_level_of_a_map() -> None:
    schema = record("Folder", folders={"type": "map", "values": "Folder"})
    assert decoded(Folder, schema, {"folders": {"a": {"folders": {"b": {"folders": {}}}}}}) == Folder(
        0, {"a": Folder(0, {"b": Folder()})}
    )


def test_without_a_type_the_maps_of_a_recursive_record_are_dicts_of_dicts() -> None:
    datum = {"size": 1, "folders": {"a": {"size": 2, "folders": {}}}}
    assert decoded(Any, FOLDER, datum) == datum


def test_the_path_of_an_error_leads_through_the_maps() -> None:
    schema = record("Positive", size="long", folders={"type": "map", "values": "Positive"})
    datum = {"size": 1, "folders": {"a": {"size": 2, "folders": {"b": {"size": -1, "folders": {}}}}}}
    with pytest.raises(CodecError, match=r"folders\['a'\]\.folders\['b'\]: ValueError: the size is negative"):
        decoded(Positive, schema, datum)


@pytest.mark.parametrize("hint", [Folder, Any], ids=str)
def test_data_nested_through_maps_a_hundred_thousand_deep_is_an_error(hint: Any) -> None:
    level = b"\x00\x02\x02a"  # size 0, a block of one entry, with the key "a"
    decode = AvroFormat(hint).decoder(json.dumps(FOLDER))
    with pytest.raises(CodecError):
        decode(level * 100_000 + b"\x00\x00" + b"\x00" * 100_000, 0)
