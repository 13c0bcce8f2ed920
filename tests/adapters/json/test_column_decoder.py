"""Many JSON objects are decoded to the same values as one by one, and those that msgspec may decode in another way are left."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.limits import MAX_DEPTH
from eddyline.adapters.json.untyped import UntypedJsonCodec, decode_objects
from eddyline.application.ports.codec import CodecError

_TOKENS = st.sampled_from(
    [
        *b'{ } [ ] , : " "a": "b" 1 - 0 .5 e9 E+400 1e400 NaN null'.split(),
        *b"\\u00e4 \\ud800 \\udc00 \\n \\ \xc3\xa4 \xed\xa0\x80 \xff \x00".split(),
        *(b" ", b"\n", b"9" * 309),
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_OBJECTS = st.builds(
    lambda found, ascii_only: json.dumps(found, ensure_ascii=ascii_only).encode(errors="surrogatepass"),
    st.dictionaries(st.text(max_size=3), _JSON, max_size=3),
    st.booleans(),
)
_BROKEN = st.builds(
    lambda data, at, token: data[: at % (len(data) + 1)] + token + data[at % (len(data) + 1) :],
    _OBJECTS,
    st.integers(0, 99),
    _TOKENS,
)
_OTHERS = st.lists(_TOKENS, max_size=6).map(b"".join) | st.builds(
    lambda tokens: b"{" + b"".join(tokens) + b"}", st.lists(_TOKENS, max_size=6)
)
_COLUMNS = st.lists(_OBJECTS | st.none(), max_size=6) | st.lists(st.none() | _OBJECTS | _BROKEN | _OTHERS, max_size=4)
_KINDS = pytest.mark.parametrize("kind", [object, dict, list])


@_KINDS
@given(column=_COLUMNS)
def test_many_values_are_decoded_as_one_by_one(kind: type, column: list[bytes | None]) -> None:
    codec = UntypedJsonCodec(kind)
    assert _outcome(codec.decode_all, column) == _outcome(lambda all_: list(map(codec.decode, all_)), column)


def test_objects_and_deletions_are_decoded_by_msgspec() -> None:
    text = '{"a":[1,null,true,"\\u00e9\\n"],"o":{},"e":1.0E-7,"big":123456789012345678901234567890}'
    expected = {"a": [1, None, True, "é\n"], "o": {}, "e": 1e-7, "big": 123456789012345678901234567890}
    assert decode_objects([text.encode(), None, b"{}"]) == [expected, None, {}]


@pytest.mark.parametrize(
    "column",
    [
        [b'{"a":1} {"b":2}', b'{"a":', b"1}"],
        [b'{"a":{}', b'{"b":1}}'],
        [b'{"a":1} {"b":2}', b""],
        [b"1", b"{}"],
        [b" {}"],
        [b"{\n}"],
        [b'{"a":"}', b'{"}'],
        [b'{"a":1e400}'],
        [b'{"a":' + b"9" * 309 + b"}"],
        [b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1)],
        [b"{}", b"{"],
        [None],
        [],
    ],
)
def test_what_may_be_invalid_or_beyond_the_limits_is_left(column: list[bytes | None]) -> None:
    assert decode_objects(column) is None


def test_long_objects_within_the_limits_are_decoded_by_msgspec() -> None:
    deep = b'{"a":' * MAX_DEPTH + b'"' + b"x" * 400 + b'"' + b"}" * MAX_DEPTH
    found = decode_objects([deep, b"{}"])
    assert found is not None
    assert json.loads(deep) == found[0]


@given(st.lists(st.none() | st.sampled_from([b"", b"a", b"\xc3\xa4", b"\xff"])))
def test_many_strings_are_decoded_as_one_by_one(column: list[bytes | None]) -> None:
    codec = JsonCodecs().for_value("t", str)
    assert _outcome(codec.decode_all, column) == _outcome(lambda all_: list(map(codec.decode, all_)), column)


def _outcome(decode: Any, column: Sequence[bytes | None]) -> str:
    """Return the values with their types, or the error."""
    try:
        return repr(decode(column))
    except CodecError as error:
        return str(error)
