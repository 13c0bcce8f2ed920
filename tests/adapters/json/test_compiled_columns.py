"""Many values of simple types are encoded and decoded as one by one, and those that msgspec may treat in another way are left."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.column_encoder import column_encoder
from eddyline.adapters.json.compiled import compiled_column_decoder
from eddyline.adapters.json.type_adapter import Shape
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.application.ports.codec import CodecError


@dataclass(frozen=True, slots=True)
class Sale:
    sold_by: str
    price: float | None = None
    number: int = 0


@dataclass(frozen=True)
class Day:
    sales: list[Sale]
    first: Sale | None
    open_hours: tuple[int, int]


_FLOATS = st.floats() | st.floats(-1e3, 1e3) | st.sampled_from([1e16, -0.0, 5e-324])
_SALES = st.builds(Sale, st.text() | st.just("\ud800"), st.none() | _FLOATS, st.integers())
_DAYS = st.builds(Day, st.lists(_SALES, max_size=3), st.none() | _SALES, st.tuples(st.integers(), st.integers()))
_VALUES: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers() | st.booleans(),
    str: st.text() | st.just("\ud800"),
    float: _FLOATS,
    bool: st.booleans() | st.integers(0, 1),
    Sale: _SALES,
    Day: _DAYS,
    tuple[int, int]: st.tuples(st.integers(), st.integers()) | st.just((1, 2, 3)) | st.just([1, 2]),
    tuple[Sale, int]: st.tuples(_SALES, st.integers()),
    tuple[list[int], list[Day]]: st.tuples(st.lists(st.integers()), st.lists(_DAYS, max_size=2)),
    list[int | None]: st.lists(st.none() | st.integers(), max_size=3),
}
_TOKENS = st.sampled_from(
    [
        *b'{ } [ ] , : " "soldBy": "sold_by": "price": "number": "a" 1 - 0 .5 e9 1e400 NaN null true'.split(),
        *b"\\u00e4 \\n \xc3\xa4 \xff".split(),
        *(b" ", b"\n", b"9" * 400),
    ]
)
_JSON: dict[Any, list[bytes]] = {
    int: [b"1", b"-20", b"0", b"99999999999999999999999"],
    Sale: [b'{"soldBy":"a","price":1.5,"number":2}', b'{"soldBy":"b"}', b'{"number":3,"soldBy":"\xc3\xa4","other":{"x":[1]}}'],
    Day: [
        b'{"sales":[{"soldBy":"a"}],"first":null,"openHours":[8,18]}',
        b'{"sales":[],"first":{"soldBy":"a"},"openHours":[1,2]}',
    ],
    tuple[int, int]: [b"[1,2]", b"[3,-4]"],
    tuple[Sale, int]: [b'[{"soldBy":"a","price":null,"number":2},5]', b'[{"soldBy":"b"},6]'],
}


def _columns(valid: Sequence[bytes]) -> st.SearchStrategy[list[bytes | None]]:
    changed = st.builds(
        lambda data, at, token: data[: at % (len(data) + 1)] + token + data[at % (len(data) + 1) :],
        st.sampled_from(valid),
        st.integers(0, 99),
        _TOKENS,
    )
    parts = st.builds(
        lambda data, at: [data[: at % (len(data) + 1)], data[at % (len(data) + 1) :]], st.sampled_from(valid), st.integers(0, 99)
    )
    kinds = st.sampled_from(valid) | changed | st.lists(_TOKENS, max_size=4).map(b"".join)
    few = st.lists(st.none() | kinds, min_size=4, max_size=8)
    return st.lists(st.sampled_from(valid) | st.none(), min_size=4, max_size=8) | few | st.builds(list.__add__, few, parts)


@pytest.mark.parametrize("shape", [Shape("camelCase"), Shape("as-declared", strict=False)])
@pytest.mark.parametrize("declared", _VALUES)
@given(data=st.data())
def test_many_values_are_encoded_as_one_by_one(data: st.DataObject, declared: Any, shape: Shape) -> None:
    values = data.draw(st.lists(st.none() | _VALUES[declared], min_size=4, max_size=8))
    codec = TypedJsonCodec(declared, shape)
    assert _outcome(codec.encode_all, values) == _outcome(lambda all_: list(map(codec.encode, all_)), values)


@pytest.mark.parametrize("shape", [Shape("camelCase"), Shape("as-declared", strict=False)])
@pytest.mark.parametrize("declared", _JSON)
@given(data=st.data())
def test_many_values_are_decoded_as_one_by_one(data: st.DataObject, declared: Any, shape: Shape) -> None:
    column = data.draw(_columns(_JSON[declared]))
    codec = TypedJsonCodec(declared, shape)
    assert _outcome(codec.decode_all, column) == _outcome(lambda all_: list(map(codec.decode, all_)), column)


@pytest.mark.parametrize("declared", _JSON)
def test_valid_values_are_decoded_by_msgspec(declared: Any) -> None:
    decode = compiled_column_decoder(declared, "camelCase")
    assert decode is not None
    column = [*_JSON[declared], None]
    assert decode(column) == list(map(TypedJsonCodec(declared, Shape("camelCase")).decode, column))


def test_values_of_state_are_encoded_by_msgspec() -> None:
    encode = column_encoder(tuple[Sale, int], "as-declared")
    assert encode is not None
    assert encode([(Sale("a", 1.5), 3), None]) == [b'[{"sold_by":"a","price":1.5,"number":0},3]', None]


@pytest.mark.parametrize(
    ("declared", "column"),
    [
        (int, [b"1-2", b""]),
        (int, [b"\n", b"1\n2"]),
        (int, [b" 1"]),
        (int, [b"1.0"]),
        (int, []),
        (int, [None]),
        (Sale, [b'{"soldBy":"a"', b"}"]),
        (Sale, [b'{"soldBy":"a"} {"soldBy":"b"}', b""]),
        (Sale, [b'{"soldBy":"a\\n"}']),
        (Sale, [b'{"soldBy":"\xff"}']),
        (Sale, [b'{"soldBy":"a","other":' + b"[" * 70 + b"]" * 70 + b"}"]),
        (Sale, [b'{"soldBy":"' + b"a" * 5_000 + b'"}']),
        (Sale, [b'{"sold_by":"a"}']),
        (tuple[int, int], [b"[1,2", b"]"]),
        (tuple[Sale, int], [b'[{"sold_by":"a"},1]']),
    ],
)
def test_what_msgspec_may_decode_in_another_way_is_left(declared: Any, column: list[bytes | None]) -> None:
    decode = compiled_column_decoder(declared, "camelCase")
    assert decode is not None
    assert decode(column) is None


@pytest.mark.parametrize("value", [(Sale("a", math.nan), 1), (Sale("a"), True), (Sale("a"),), [Sale("a"), 1]])
def test_what_msgspec_may_encode_in_another_way_is_left(value: Any) -> None:
    encode = column_encoder(tuple[Sale, int], "as-declared")
    assert encode is not None
    assert encode([value]) is None


@pytest.mark.parametrize("declared", [str, float, list[int], dict[str, int], int | None])
def test_other_types_are_decoded_one_by_one(declared: Any) -> None:
    assert compiled_column_decoder(declared, "camelCase") is None


def test_msgspec_is_not_asked_after_many_failures() -> None:
    decode = compiled_column_decoder(int, "camelCase")
    assert decode is not None
    for _ in range(1_000):
        assert decode([b"01"]) is None
    assert decode([b"1"]) is None


def _outcome(convert: Callable[[Any], Any], column: list[Any]) -> str:
    """Return the values with their types, or the error."""
    try:
        return repr(list(convert(column)))
    except CodecError as error:
        return str(error)
