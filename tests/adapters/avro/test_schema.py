import dataclasses
import json
import math
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NewType
from uuid import UUID, uuid4

import fastavro
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic.alias_generators import to_camel

from eddyline.adapters.avro.options import AvroOptionError, AvroOptions
from eddyline.adapters.avro.schema import schema_for
from eddyline.adapters.avro.shapes import AvroSchemaError, camel_case
from tests.adapters.avro.models import Everything, Node, Pair, Side, Trade

Price = NewType("Price", float)
ANY = ["null", "boolean", "long", "double", "string"]


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
        (Side, {"type": "enum", "name": "Side", "namespace": "eddyline", "symbols": ["BUY", "SELL"]}),
    ],
    ids=str,
)
def test_a_type_has_the_avro_type_of_its_meaning(hint: object, schema: object) -> None:
    assert schema_for(hint) == schema
    fastavro.parse_schema(schema_for(hint))


def test_a_dataclass_is_a_record_with_camel_case_names_in_the_order_of_its_fields() -> None:
    @dataclass
    class StockStats:
        min_price: float
        count_trades: int = 0

    assert schema_for(StockStats) == {
        "type": "record",
        "name": "StockStats",
        "namespace": "eddyline",
        "fields": [{"name": "minPrice", "type": "double"}, {"name": "countTrades", "type": "long", "default": 0}],
    }


def test_a_value_of_any_form_is_a_record_that_holds_itself() -> None:
    items = {"type": "array", "items": "eddyline.JsonValue"}
    values = {"type": "map", "values": "eddyline.JsonValue"}
    fields = [{"name": "value", "type": [*ANY, items, values]}]
    assert schema_for(Any) == {"type": "record", "name": "JsonValue", "namespace": "eddyline", "fields": fields}
    assert schema_for(dict[str, Any]) == {"type": "map", "values": schema_for(Any)}


def test_a_type_that_holds_itself_is_spelled_out_once() -> None:
    name, children = schema_for(Node)["fields"]
    assert name == {"name": "name", "type": "string"}
    assert children == {"name": "children", "type": {"type": "array", "items": "eddyline.Node"}, "default": []}


def test_a_generic_dataclass_is_named_after_its_arguments() -> None:
    assert schema_for(Pair[Trade])["name"] == "Pair_Trade"
    assert schema_for(Pair[int])["fields"][0] == {"name": "first", "type": "long"}


@dataclass
class Inner:
    note: str | None = None
    amount: Decimal = Decimal("1.5")


class State(Enum):
    OPEN = "o"
    UNKNOWN = "?"


NOBODY = UUID(int=1)


@dataclass
class Defaults:
    number: int | None = 5
    text: str | None = None
    raw: bytes = b"\xff\x00"
    money: Decimal = Decimal("-2.5")
    day: date = date(1970, 1, 3)
    instant: datetime = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    identity: UUID = NOBODY
    state: State = State.OPEN
    inner: Inner = dataclasses.field(default_factory=Inner)
    items: list[int] = field(default_factory=list)
    pairs: tuple[int, ...] = (1, 2)
    table: dict[str, int] = field(default_factory=dict)
    open_value: Any = None


def test_defaults_are_those_of_the_dataclass_and_avro_takes_them() -> None:
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
        "openValue": {"value": None},
    }
    assert fields["number"]["type"] == ["long", "null"]
    assert fields["text"]["type"] == ["null", "string"]
    fastavro.parse_schema(schema)


def test_what_a_schema_cannot_say_as_a_default_leaves_the_field_without_one() -> None:
    @dataclass
    class Odd:
        lowest: float = math.inf
        identity: UUID = field(default_factory=uuid4)
        inner: Inner = field(default_factory=lambda: Inner("a"))
        note: Inner = field(default_factory=Inner)

    with_default = [entry["name"] for entry in schema_for(Odd)["fields"] if "default" in entry]
    assert with_default == ["note"]


def test_an_enum_with_a_member_unknown_reads_other_symbols_as_that() -> None:
    assert schema_for(State)["default"] == "UNKNOWN"


def test_options_choose_names_digits_and_units() -> None:
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
        ({"namespace": "a-b"}, "namespace: 'a-b' is no Avro name"),
        ({"names": {"Trade": "1x"}}, "names: '1x' is no Avro name"),
        ({"timestamps": "nanos"}, "timestamps: 'nanos' is unknown; choose one of millis, micros"),
        ({"decimal_precision": 2, "decimal_scale": 3}, "0 <= scale <= precision"),
    ],
)
def test_an_impossible_option_is_named_with_its_choices(given_options: dict[str, Any], message: str) -> None:
    with pytest.raises(AvroOptionError) as caught:
        AvroOptions(**given_options)
    assert message in str(caught.value)


def test_the_schema_is_the_same_text_in_every_process() -> None:
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


@given(st.from_regex(r"_?[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*_?", fullmatch=True))
@example("p50_ms")
@example("p5a_x")
@example("minPrice")
def test_names_on_the_wire_are_those_of_json(name: str) -> None:
    assert camel_case(name) == to_camel(name)


class _Other:
    class Trade(Trade):
        pass


@dataclass
class Clash:
    one: Trade
    two: "_Other.Trade"


@dataclass
class Twins:
    min_price: float
    minPrice: float  # noqa: N815 - on purpose


@dataclass
class Sets:
    names: set[str]


@dataclass
class Wrong:
    count: int = "three"  # type: ignore[assignment]


@dataclass
class Missing:
    other: "NoSuchName"  # type: ignore[name-defined] # noqa: F821 - on purpose


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        (Sets, r"Sets\.names: set\[str\] has no form in Avro; there is one for str, int, .*dataclasses"),
        (dict[int, str], r"dict\[int, str\] has no form"),
        (tuple[int, str], r"tuple\[int, str\] has no form"),
        (complex, "complex has no form"),
        (str | UUID, "str and UUID are both string in Avro, which cannot tell them apart"),
        (list[int] | list[str], "both array"),
        (Clash, "'eddyline.Trade' in Avro; give one a name of its own by the option names"),
        (Twins, r"Twins\.minPrice and Twins\.min_price are both 'minPrice'"),
        (Wrong, "count: its default 'three' is not of its type: expected int, not str"),
        (Missing, "Missing: name 'NoSuchName' is not defined"),
    ],
    ids=str,
)
def test_a_type_that_avro_cannot_hold_is_named_with_its_place(hint: object, message: str) -> None:
    with pytest.raises(AvroSchemaError, match=message):
        schema_for(hint)
