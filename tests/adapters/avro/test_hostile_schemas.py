"""Whatever a schema and data contain, decoding ends soon with a value or a CodecError."""

import contextlib
import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.avro.errors import InvalidSchemaError
from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.schema_inspection import MAX_JSON_NESTING, SchemaInspection, check_nesting
from eddyline.application.ports.codec import CodecError
from tests.fixtures.examples import examples

ANY = AvroFormat(Any)
MAX_NESTING = 100
MAX_FREE_VALUES = 100


@dataclass
class Tree:
    left: "Tree | None"
    right: "Tree | None"
    value: int


def record(name: str, *fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": f"f{i}", "type": each} for i, each in enumerate(fields)]}


def doubled(depth: int, *leaf: Any) -> Any:
    """Return a schema of records that each contain the one before twice."""
    schema: Any = record("R0", *leaf)
    for number in range(1, depth):
        schema = record(f"R{number}", schema, f"R{number - 1}")
    return schema


def nested_arrays(depth: int) -> Any:
    schema: Any = "long"
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def a_line_of_records(depth: int) -> list[Any]:
    """Return the union of records that each refer to the one before, so that the text is flat."""
    return [record("R0", "long"), *(record(f"R{number}", f"R{number - 1}") for number in range(1, depth))]


@pytest.mark.parametrize("leaf", [[], ["null"], [{"type": "fixed", "name": "F", "size": 0}]], ids=["none", "null", "fixed"])
@pytest.mark.parametrize(
    "around", [lambda schema: schema, lambda schema: {"type": "array", "items": schema}], ids=["alone", "array"]
)
def test_a_schema_of_two_kilobytes_with_millions_of_empty_values_is_refused(leaf: list[Any], around: Any) -> None:
    schema = json.dumps(around(doubled(23, *leaf)))
    with pytest.raises(CodecError, match="each value of R22 has more than 100 values that take no bytes"):
        ANY.decoder(schema)
    with pytest.raises(CodecError, match="each value of R22 has more than 100 values that take no bytes"):
        ANY.incompatibilities(schema)


def test_records_that_contain_others_twice_are_decoded_if_their_fields_take_bytes() -> None:
    decode = ANY.decoder(json.dumps(doubled(5, "long")))
    assert str(decode(b"\x02" * 16, 0)).count(": 1") == 16


def test_a_record_has_at_most_a_hundred_values_that_take_no_bytes() -> None:
    fields = ["long", *["null"] * MAX_FREE_VALUES]
    assert len(ANY.decoder(json.dumps(record("R", *fields)))(b"\x02", 0)) == MAX_FREE_VALUES + 1
    with pytest.raises(CodecError, match="each value of R has more than 100 values that take no bytes"):
        ANY.decoder(json.dumps(record("R", *fields, "null")))


def test_an_empty_record_counts_itself() -> None:
    empty = {"type": "map", "values": record("R", *["null"] * (MAX_FREE_VALUES - 1))}
    assert len(ANY.decoder(json.dumps(empty))(b"\x02\x02k\x00", 0)["k"]) == MAX_FREE_VALUES - 1
    with pytest.raises(CodecError, match="has more than 100 values that take no bytes"):
        ANY.decoder(json.dumps({"type": "map", "values": record("R", *["null"] * MAX_FREE_VALUES)}))


@pytest.mark.parametrize("make", [nested_arrays, a_line_of_records])
def test_types_are_nested_to_a_depth_of_a_hundred(make: Any) -> None:
    levels = MAX_NESTING if make is nested_arrays else MAX_NESTING - 1  # the union is a level itself
    ANY.decoder(json.dumps(make(levels)))
    with pytest.raises(CodecError, match="the schema is nested too deeply; Eddyline reads schemas with up to 100 levels"):
        ANY.decoder(json.dumps(make(levels + 1)))


@pytest.mark.parametrize("depth", [1_000, 10_000, 100_000])
def test_a_schema_of_any_depth_does_not_crash_the_process(depth: int) -> None:
    texts = [
        "[" * depth,
        '{"type":"array","items":' * depth + '"long"' + "}" * depth,
        '{"type":' * depth + '"long"' + "}" * depth,
        json.dumps(a_line_of_records(depth)),
    ]
    for text in texts:
        with pytest.raises(CodecError, match="nested too deeply"):
            ANY.decoder(text)


@pytest.mark.parametrize(
    "schema", [[], ["null", []], {"type": "array", "items": []}, ["null", ["long"]], record("R", [])], ids=str
)
def test_a_union_without_branches_or_in_a_union_is_refused(schema: Any) -> None:
    with pytest.raises(CodecError, match=r"a union without branches or directly inside a union|invalid Avro schema"):
        ANY.decoder(json.dumps(schema))


def test_a_record_that_contains_itself_without_an_end_is_refused() -> None:
    with pytest.raises(CodecError, match="a value of A would contain itself without an end"):
        ANY.decoder(json.dumps(record("A", record("B", "A"))))
    ANY.decoder(json.dumps(record("A", record("B", ["null", "A"], {"type": "array", "items": "A"}))))


@pytest.mark.parametrize("size", [-1, "4", 1.5, True, None])
def test_a_fixed_type_without_a_number_of_bytes_is_refused(size: Any) -> None:
    with pytest.raises(CodecError, match=r"size|invalid Avro schema"):
        ANY.decoder(json.dumps({"type": "array", "items": {"type": "fixed", "name": "F", "size": size}}))


@pytest.mark.parametrize("reference", ["null", "empty"])
def test_the_items_of_an_array_can_be_empty_by_reference(reference: str) -> None:
    references = (("Empty", json.dumps(record("Empty"))),)
    items = "Empty" if reference == "empty" else "null"
    with pytest.raises(CodecError, match="an array whose items take no bytes"):
        ANY.decoder(json.dumps(record("R", {"type": "array", "items": items})), references)


def test_marks_of_the_parser_in_a_schema_are_ignored() -> None:
    hostile = {**record("R", "long"), "__fastavro_parsed": True, "__named_schemas": {"long": {"type": "enum"}}}
    assert ANY.decoder(json.dumps(hostile))(b"\x02", 0) == {"f0": 1}


@pytest.mark.parametrize("depth", [5, 20, 49])
def test_a_mismatch_deep_in_a_schema_is_found_once(depth: int) -> None:
    names = ("left", "right", "value")

    def tree(number: int, *types: Any) -> dict[str, Any]:
        fields = [{"name": name, "type": each} for name, each in zip(names, types, strict=True)]
        return {"type": "record", "namespace": f"n{number}", "name": "Tree", "fields": fields}

    schema = tree(0, "string", "string", "string")
    for number in range(1, depth):
        schema = tree(number, schema, f"n{number - 1}.Tree", "long")
    with pytest.raises(CodecError, match=r"^left: expected eddyline\.Tree or null, found record"):
        AvroFormat(Tree).decoder(json.dumps(schema))


UNION: Any = ["null", "string", "long"]
ENUM: Any = {"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}
RECURSIVE: Any = record("List", "long", ["null", "List"])


@pytest.mark.parametrize("index", [-1, -2, -3, -4, 3, 2**31, -(2**31), 2**62, -(2**63)])
@pytest.mark.parametrize("schema", [UNION, ENUM, record("R", UNION), {"type": "array", "items": ENUM}, RECURSIVE], ids=str)
def test_an_index_that_is_not_in_the_schema_is_an_error(schema: Any, index: int) -> None:
    prefix = b"\x02" if schema in ({"type": "array", "items": ENUM}, RECURSIVE) else b""
    data = prefix + zigzag(index) + b"\x00" * 16
    with pytest.raises(CodecError, match="the data has the index of a union branch or enum symbol that the schema does not have"):
        ANY.decoder(json.dumps(schema))(data, 0)


@pytest.mark.parametrize(("index", "symbol"), list(enumerate(ENUM["symbols"])))
def test_an_index_in_the_schema_is_a_symbol_or_a_branch(index: int, symbol: str) -> None:
    assert ANY.decoder(json.dumps(ENUM))(zigzag(index), 0) == symbol
    assert ANY.decoder(json.dumps([ENUM, "null"]))(b"\x00" + zigzag(index), 0) == symbol
    assert ANY.decoder(json.dumps(["E", "null"]), (("E", json.dumps(ENUM)),))(b"\x00" + zigzag(index), 0) == symbol


@pytest.mark.parametrize(
    "schema", ["string", "bytes", {"type": "array", "items": "string"}, {"type": "map", "values": "int"}], ids=str
)
@pytest.mark.parametrize("length", [-1, -(2**31), -(2**63), 2**31, 2**40, 2**63 - 1])
def test_a_length_that_the_data_does_not_have_is_an_error(schema: Any, length: int) -> None:
    with pytest.raises(CodecError, match=r"^the data ends too early"):
        ANY.decoder(json.dumps(schema))(zigzag(length) + b"\x02ab", 0)


def zigzag(number: int) -> bytes:
    rest = ((number << 1) ^ (number >> 63)) & (2**64 - 1)
    encoded = bytearray()
    while rest > 0x7F:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*encoded, rest])


NAMES = st.sampled_from(["A", "B", "C", "a.b.A", "R0", "", "1", "null", "record", "__fastavro_parsed"])
NUMBERS = st.integers(-(2**63), 2**63) | st.integers(-2, 5)
LEAVES = st.sampled_from(["null", "long", "int", "string", "bytes", "boolean", "float", "double"]) | NAMES


def compound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.lists(st.fixed_dictionaries({"name": st.sampled_from(["a", "b", "c"]), "type": inner}), max_size=3)
    logical = st.sampled_from(["decimal", "uuid", "date", "time-millis", "timestamp-micros", "duration", 1, None])
    return st.one_of(
        st.lists(inner, max_size=4),
        st.fixed_dictionaries({"type": st.sampled_from(["record", "error"]), "name": NAMES, "fields": fields}),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"type": st.just("map"), "values": inner}),
        st.fixed_dictionaries({"type": inner}),
        st.fixed_dictionaries({"type": st.just("enum"), "name": NAMES, "symbols": st.lists(NAMES, max_size=3) | NAMES}),
        st.fixed_dictionaries({"type": st.just("fixed"), "name": NAMES, "size": NUMBERS | NAMES}),
        st.fixed_dictionaries({"type": LEAVES, "logicalType": logical}, optional={"precision": NUMBERS, "scale": NUMBERS}),
    )


SCHEMAS = st.recursive(LEAVES, compound, max_leaves=12)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | NAMES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "name", "fields", "items", "size"]), inner)
    ),
)


@settings(max_examples=examples(400))
@given(SCHEMAS | JSON, st.lists(SCHEMAS, max_size=1), st.lists(st.binary(max_size=40) | NUMBERS.map(zigzag), max_size=4))
def test_any_schema_and_any_bytes_give_a_value_or_an_error(schema: Any, references: list[Any], data: list[bytes]) -> None:
    for format_ in (ANY, AvroFormat(Tree), AvroFormat(list[str])):
        with contextlib.suppress(CodecError):
            decode = format_.decoder(json.dumps(schema), tuple(("", json.dumps(reference)) for reference in references))
            decode(b"".join(data), 0)


def test_a_record_may_have_any_number_of_optional_fields() -> None:
    optional = record("R", *[["null", "long"]] * (MAX_FREE_VALUES + 1))
    assert set(ANY.decoder(json.dumps(optional))(b"\x00" * (MAX_FREE_VALUES + 1), 0).values()) == {None}


def test_the_text_of_a_schema_is_nested_to_a_depth_of_five_hundred() -> None:
    document: Any = []
    for _ in range(MAX_JSON_NESTING - 1):
        document = {"doc": [document]} if isinstance(document, list) and not document else [document]
    check_nesting(document[0])
    with pytest.raises(InvalidSchemaError, match="the schema is nested too deeply"):
        check_nesting([document])


def test_the_type_of_a_schema_may_be_a_schema_itself() -> None:
    assert not SchemaInspection({"type": {"type": "array", "items": "long"}}, {}).is_recursive
    with pytest.raises(InvalidSchemaError, match="an array whose items take no bytes"):
        SchemaInspection({"type": {"type": "array", "items": {"type": {"type": "null"}}}}, {})
