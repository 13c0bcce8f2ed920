import dataclasses
import json
import math
import subprocess
import sys
import typing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType
from uuid import UUID, uuid4

import fastavro
import pytest

from eddyline.adapters.avro.errors import AvroOptionError, AvroSchemaError
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.schema import schema_for
from tests.adapters.avro.ids import readable
from tests.adapters.avro.models import Everything, Node, Pair, Side, Trade

Price = NewType("Price", float)
JSON_VALUE = {
    "type": "record",
    "name": "JsonValue",
    "namespace": "eddyline",
    "fields": [
        {
            "name": "value",
            "type": [
                "null",
                "boolean",
                "long",
                "double",
                "string",
                {"type": "array", "items": "eddyline.JsonValue"},
                {"type": "map", "values": "eddyline.JsonValue"},
            ],
        }
    ],
}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, "string"),
        (int, "long"),
        (float, "double"),
        (bool, "boolean"),
        (bytes, "bytes"),
        (None, "null"),
        (Decimal, {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 9}),
        (date, {"type": "int", "logicalType": "date"}),
        (datetime, {"type": "long", "logicalType": "timestamp-micros"}),
        (UUID, {"type": "string", "logicalType": "uuid"}),
        (list[int], {"type": "array", "items": "long"}),
        (tuple[str, ...], {"type": "array", "items": "string"}),
        (dict[str, float], {"type": "map", "values": "double"}),
        (int | str, ["long", "string"]),
        (str | None, ["null", "string"]),
        (Price, "double"),
        (Annotated[int, "ms"], "long"),
        (typing.List, {"type": "array", "items": {**JSON_VALUE}}),  # noqa: UP006 - without its items
        (typing.Dict, {"type": "map", "values": {**JSON_VALUE}}),  # noqa: UP006 - likewise
        (Side, {"type": "enum", "name": "Side", "namespace": "eddyline", "symbols": ["buy", "sell"]}),
    ],
    ids=readable,
)
def test_a_python_type_is_mapped_to_an_avro_type(hint: object, schema: object) -> None:
    assert schema_for(hint) == schema
    fastavro.parse_schema(schema_for(hint))


def test_a_dataclass_is_mapped_to_a_record_with_its_names() -> None:
    @dataclass
    class StockStats:
        min_price: float
        count_trades: int = 0

    assert schema_for(StockStats) == {
        "type": "record",
        "name": "StockStats",
        "namespace": "eddyline",
        "fields": [{"name": "min_price", "type": "double"}, {"name": "count_trades", "type": "long", "default": 0}],
    }


def test_an_untyped_value_is_mapped_to_a_recursive_record() -> None:
    assert schema_for(Any) == JSON_VALUE
    assert schema_for(dict[str, Any]) == {"type": "map", "values": JSON_VALUE}


def test_a_recursive_type_is_defined_once() -> None:
    name, children = schema_for(Node)["fields"]
    assert name == {"name": "name", "type": "string"}
    assert children == {"name": "children", "type": {"type": "array", "items": "eddyline.Node"}, "default": []}


def test_a_generic_dataclass_has_its_type_arguments_in_its_name() -> None:
    assert schema_for(Pair[Trade])["name"] == "Pair_Trade"
    assert schema_for(Pair[int])["fields"][0] == {"name": "first", "type": "long"}


def test_an_option_names_a_generic_dataclass_whose_own_name_is_invalid_in_avro() -> None:
    with pytest.raises(AvroSchemaError, match=r"'Pair_list\[int\]' is not a valid Avro name; .* avro\.names\.Pair_list\[int\]"):
        schema_for(Pair[list[int]])
    options = AvroOptions(names={"Pair_list[int]": "com.acme.PairOfLists"})
    assert schema_for(Pair[list[int]], options)["name"] == "PairOfLists"


@dataclass
class Inner:
    note: str | None = None
    amount: Decimal = Decimal("1.5")


class State(Enum):
    OPEN = "o"
    UNKNOWN = "?"


NIL = UUID(int=1)


@dataclass
class Defaults:
    number: int | None = 5
    text: str | None = None
    raw: bytes = b"\xff\x00"
    money: Decimal = Decimal("-2.5")
    day: date = date(1970, 1, 3)
    instant: datetime = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    identity: UUID = NIL
    state: State = State.OPEN
    inner: Inner = dataclasses.field(default_factory=Inner)
    items: list[int] = field(default_factory=list)
    pairs: tuple[int, ...] = (1, 2)
    table: dict[str, int] = field(default_factory=dict)
    open_value: Any = None


def test_fields_have_the_defaults_of_the_dataclass() -> None:
    schema = schema_for(Defaults)
    fields = {entry["name"]: entry for entry in schema["fields"]}
    assert {name: entry["default"] for name, entry in fields.items()} == {
        "number": 5,
        "text": None,
        "raw": "\xff\x00",
        "money": (-2_500_000_000).to_bytes(5, "big", signed=True).decode("latin-1"),
        "day": 2,
        "instant": 1_000_000,
        "identity": "00000000-0000-0000-0000-000000000001",
        "state": "OPEN",
        "inner": {"note": None, "amount": (1_500_000_000).to_bytes(4, "big").decode("latin-1")},
        "items": [],
        "pairs": [1, 2],
        "table": {},
        "open_value": {"value": None},
    }
    assert fields["number"]["type"] == ["long", "null"]
    assert fields["text"]["type"] == ["null", "string"]
    fastavro.parse_schema(schema)


def test_a_field_has_no_default_where_a_schema_cannot_express_it() -> None:
    @dataclass
    class Unusual:
        lowest: float = math.inf
        identity: UUID = field(default_factory=uuid4)
        inner: Inner = field(default_factory=lambda: Inner("a"))
        note: Inner = field(default_factory=Inner)

    with_default = [entry["name"] for entry in schema_for(Unusual)["fields"] if "default" in entry]
    assert with_default == ["note"]


class Aliased(Enum):
    OPEN = "o"
    UNKNOWN = "o"  # noqa: PIE796 - an alias


def test_the_member_unknown_is_the_default_symbol_of_an_enum() -> None:
    assert schema_for(State)["default"] == "UNKNOWN"
    assert schema_for(Aliased)["symbols"] == ["o"]
    assert "default" not in schema_for(Aliased)


def test_options_choose_names_decimal_digits_and_timestamp_units() -> None:
    options = AvroOptions(
        namespace="com.acme", names={"Trade": "org.stocks.Deal"}, decimal_precision=10, decimal_scale=2, timestamps="millis"
    )
    assert (schema_for(Trade, options)["namespace"], schema_for(Trade, options)["name"]) == ("org.stocks", "Deal")
    assert schema_for(Side, options)["namespace"] == "com.acme"
    assert schema_for(Decimal, options) == {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
    assert schema_for(datetime, options) == {"type": "long", "logicalType": "timestamp-millis"}


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"namespace": "a-b"}, "namespace: 'a-b' is not a valid Avro name"),
        ({"names": {"Trade": "1x"}}, "names: '1x' is not a valid Avro name"),
        ({"timestamps": "nanos"}, "timestamps: unknown unit 'nanos'; choose one of: millis, micros"),
        (
            {"decimal_precision": 2, "decimal_scale": 3},
            "decimal_scale '3' is not valid with decimal_precision '2'; choose 0 <= scale <= precision",
        ),
    ],
)
def test_an_invalid_option_is_an_error_with_the_choices(given_options: dict[str, Any], message: str) -> None:
    with pytest.raises(AvroOptionError) as caught:
        AvroOptions(**given_options)
    assert message in str(caught.value)


def test_the_schema_is_the_same_in_every_process() -> None:
    program = (
        "import json; from eddyline.adapters.avro.schema import schema_for; "
        "from tests.adapters.avro.models import Everything; print(json.dumps(schema_for(Everything)))"
    )
    root = Path(__file__).parents[3]
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=root, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {json.dumps(schema_for(Everything)) + "\n"}


class _Other:
    class Trade(Trade):
        pass


@dataclass
class SameClassName:
    one: Trade
    two: "_Other.Trade"


T = typing.TypeVar("T")


@dataclass
class Box(typing.Generic[T]):
    items: list[T]


@dataclass
class WithRange:
    names: range


@dataclass
class WrongDefault:
    count: int = "three"  # type: ignore[assignment]


@dataclass
class UndefinedType:
    other: "NoSuchName"  # type: ignore[name-defined] # noqa: F821 - undefined


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        (WithRange, r"WithRange\.names: Avro cannot represent type 'range'; use one of: str, int, .*dataclasses"),
        (dict[int, range], "cannot represent type 'range'"),
        (tuple[int, complex], r"\[1\]: Avro cannot represent type 'complex'"),
        (complex, "cannot represent type 'complex'"),
        (str | UUID, "types 'str' and 'UUID' are both 'string' in Avro, which cannot distinguish them in a union"),
        (list[int] | list[str], "are both 'array'"),
        (Literal["a", 1], r"a Literal must all be of one type.*; write Literal\[...\] \| None for an optional one"),
        (typing.Tuple, "cannot represent type 'Tuple'"),  # noqa: UP006 - without its items
        (Enum("Grade", ["A+"]), r"enum 'Grade' needs members whose values or names.* but has \['A\+'\]; rename them"),
        (
            SameClassName,
            r"models\.Trade' and '.*\._Other\.Trade' have the same name 'eddyline\.Trade' in Avro; .* option avro\.names",
        ),
        (Box, r"Box\.items\[\]: Avro cannot represent type '~T'"),
        (WrongDefault, "field 'count': its default is not of its type: expected int, found str 'three'"),
        (UndefinedType, "UndefinedType: name 'NoSuchName' is not defined"),
    ],
    ids=readable,
)
def test_a_type_that_avro_cannot_represent_is_an_error_with_its_path(hint: object, message: str) -> None:
    with pytest.raises(AvroSchemaError, match=message):
        schema_for(hint)
