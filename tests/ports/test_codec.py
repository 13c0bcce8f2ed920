"""The conformance tests of codecs."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.ports.codec import CodecError
from tests.fixtures.examples import examples
from tests.ports.codecs import CASES, CodecCase

each_codec = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@each_codec
@settings(max_examples=examples(30), deadline=None)
@given(data=st.data())
def test_every_value_is_decoded_as_it_was_encoded(case: CodecCase, data: st.DataObject) -> None:
    codec, value = case.new_codec(), data.draw(case.values)
    encoded = codec.encode(value)
    decoded = codec.decode(encoded)
    assert type(encoded) is bytes
    assert decoded == value
    assert type(decoded) is type(value)


@each_codec
def test_none_is_encoded_and_decoded_as_none(case: CodecCase) -> None:
    assert case.new_codec().encode(None) is None
    assert case.new_codec().decode(None) is None


@each_codec
@settings(max_examples=examples(5), deadline=None)
@given(data=st.data())
def test_other_headers_are_ignored(case: CodecCase, data: st.DataObject) -> None:
    codec, value = case.new_codec(), data.draw(case.values)
    assert "trace" not in codec.headers_read
    assert codec.decode(codec.encode(value), (("trace", b"1"), ("none", None))) == value


@pytest.mark.parametrize("case", [case for case in CASES if case.invalid is not None], ids=lambda case: case.name)
def test_invalid_bytes_are_an_error_of_one_line(case: CodecCase) -> None:
    with pytest.raises(CodecError) as caught:
        case.new_codec().decode(case.invalid)
    assert len(str(caught.value).splitlines()) == 1


@each_codec
def test_a_value_of_another_type_is_an_error_of_one_line(case: CodecCase) -> None:
    with pytest.raises(CodecError) as caught:
        case.new_codec().encode(object())
    assert len(str(caught.value).splitlines()) == 1


@each_codec
@settings(max_examples=examples(30), deadline=None)
@given(st.binary(max_size=30))
def test_arbitrary_bytes_are_a_value_or_an_error(case: CodecCase, data: bytes) -> None:
    codec = case.new_codec()
    try:
        decoded = codec.decode(data)
    except CodecError:
        return
    assert repr(codec.decode(codec.encode(decoded))) == repr(decoded)


@each_codec
@settings(max_examples=examples(5), deadline=None)
@given(data=st.data())
def test_a_pickled_codec_encodes_the_same(case: CodecCase, data: st.DataObject) -> None:
    codec, value = case.new_codec(), data.draw(case.values)
    unpickled = pickle.loads(pickle.dumps(codec))
    assert unpickled.encode(value) == codec.encode(value)
