"""Our schema resolution compared with fastavro's."""

import io
import json
from dataclasses import MISSING, asdict, field, make_dataclass
from enum import Enum
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormat
from eddyline.application.ports.codec import CodecError
from tests.adapters.avro.models import Side

TYPES = [int, float, str, bytes, int | None, str | None, list[int], list[float], dict[str, int], Side]
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**31), 2**31),
    float: st.floats(allow_nan=False),
    str: st.text(max_size=5),
    bytes: st.just(b"abc"),
    int | None: st.none() | st.integers(0, 9),
    str | None: st.none() | st.text(max_size=5),
    list[int]: st.lists(st.integers(0, 9), max_size=3),
    list[float]: st.lists(st.floats(0, 1), max_size=3),
    dict[str, int]: st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=2),
    Side: st.sampled_from(Side),
}
DEFAULTS: dict[Any, Any] = {int: 7, float: 0.5, str: "x", int | None: 7, str | None: None, Side: Side.BUY}


@st.composite
def versions(draw: st.DrawFn) -> tuple[type, type, Any]:
    """Two versions of a dataclass and a value of the first."""
    names = st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, min_size=1)
    types = {name: draw(st.sampled_from(TYPES)) for name in "abcd"}
    old = draw(names)
    new = []
    for name in draw(names):
        hint = draw(st.sampled_from(TYPES)) if draw(st.integers(0, 3)) == 0 else types[name]
        default = DEFAULTS.get(hint, MISSING) if name not in old or draw(st.booleans()) else MISSING
        new.append((name, hint, field(default=default, kw_only=True)))
    value = {name: draw(VALUES[types[name]]) for name in old}
    writer = make_dataclass("Rec", [(name, types[name]) for name in old])
    return writer, make_dataclass("Rec", new), writer(**value)


@given(versions())
def test_resolution_agrees_with_fastavro_wherever_both_support_it(case: tuple[type, type, Any]) -> None:
    writer, reader, value = case
    old, new = AvroFormat(writer), AvroFormat(reader)
    data = old.encode(value, b"")
    old_schema, new_schema = (fastavro.parse_schema(json.loads(avro.schema_text)) for avro in (old, new))
    try:
        expected = fastavro.schemaless_reader(io.BytesIO(data), old_schema, new_schema)
    except (fastavro.read.SchemaResolutionError, UnicodeDecodeError):
        if not _mixes_strings_and_enums(writer, reader):
            with pytest.raises(CodecError):
                new.decoder(old.schema_text)(data, 0)
        return
    found = new.decoder(old.schema_text)(data, 0)
    assert _with_symbols(asdict(found)) == expected


def _mixes_strings_and_enums(writer: type, reader: type) -> bool:
    """Return whether a field is a string in one version and an enum in the other, which fastavro does not resolve."""
    old, new = writer.__annotations__, reader.__annotations__
    return any(Side in (old[name], new[name]) and old[name] != new[name] for name in old.keys() & new.keys())


def _with_symbols(item: Any) -> Any:
    if isinstance(item, Enum):
        return item.value
    if isinstance(item, dict):
        return {name: _with_symbols(value) for name, value in item.items()}
    return item
