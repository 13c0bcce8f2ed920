"""Every type is written and read in topics and in state, and what is of another type is refused."""

from dataclasses import make_dataclass
from typing import Any

import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import Codec, CodecError
from tests.types.page import PAGE, avro_schema, generated
from tests.types.table import TABLE, Row

ROWS = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
LAX = JsonCodecs(quoted=True, choices=TypeChoices({"types": "lax"}))
STRICT = JsonCodecs(quoted=True)


def inside(declared: Any) -> type:
    """Return a dataclass with a field of a type."""
    return make_dataclass("Inside", [("before", int), ("value", declared)])


def in_many(codec: Codec, data: bytes) -> list[Any]:
    """Return what is decoded one by one, and many at once."""
    return [codec.decode(data), *codec.decode_all([data] * 5)]


@pytest.mark.parametrize(
    "row", [row for row in TABLE if row.declared is not bytes], ids=lambda row: row.name
)  # written as they are
@pytest.mark.parametrize("codecs", [STRICT, LAX])
def test_a_value_is_written_as_json_and_read_again(row: Row, codecs: JsonCodecs) -> None:
    codec, data = codecs.for_value("t", row.declared), None if row.value is None else row.json.encode()
    assert [codec.encode(row.value), *codec.encode_all([row.value] * 5)] == [data] * 6
    found = [codec.decode(data), *codec.decode_all([data] * 5)]
    assert (found, [type(value) for value in found]) == ([row.value] * 6, [type(row.value)] * 6)


@ROWS
def test_a_value_is_the_same_within_a_dataclass(row: Row) -> None:
    declared = inside(row.declared)
    codec, data = STRICT.for_value("t", declared), f'{{"before":1,"value":{row.json}}}'.encode()
    assert [codec.encode(declared(1, row.value)), *codec.encode_all([declared(1, row.value)] * 5)] == [data] * 6
    assert in_many(codec, data) == [declared(1, row.value)] * 6


@ROWS
def test_a_value_is_kept_in_state(row: Row) -> None:
    for declared, value in ((row.declared, row.value), (tuple[row.declared, int], (row.value, 1))):  # type: ignore[name-defined]
        codec = STRICT.for_state(declared)
        assert codec.decode_all(codec.encode_all([value] * 5)) == [value] * 5


@pytest.mark.parametrize("row", [row for row in TABLE if avro_schema(row) is not None], ids=lambda row: row.name)
def test_a_value_is_written_as_avro_and_read_again(row: Row) -> None:
    within = inside(row.declared)
    for declared, value in ((row.declared, row.value), (within, within(1, row.value))):
        avro = AvroFormat(declared)
        if value is not None:
            assert avro.decoder(avro.schema_text)(avro.encode(value, b""), 0) == value


@ROWS
def test_what_is_of_another_type_is_refused(row: Row) -> None:
    for text in row.refused:
        for codec, data in (
            (STRICT.for_value("t", list[row.declared]), f"[{text}]"),  # type: ignore[name-defined]
            (STRICT.for_value("t", inside(row.declared)), f'{{"before":1,"value":{text}}}'),
        ):
            with pytest.raises(CodecError):
                codec.decode(data.encode())
            with pytest.raises(CodecError):
                codec.decode_all([data.encode()] * 5)


@ROWS
def test_types_that_are_lax_convert_values(row: Row) -> None:
    codec = LAX.for_value("t", list[row.declared])  # type: ignore[name-defined]
    for text in row.refused:
        if text in row.lax:
            assert codec.decode(f"[{text}]".encode()) == [row.lax[text]]
        else:
            with pytest.raises(CodecError):
                codec.decode(f"[{text}]".encode())


def test_the_page_about_types_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == generated(), "run python -m tests.types.page"
