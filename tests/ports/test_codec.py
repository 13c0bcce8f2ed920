"""What every codec does."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.ports.codec import CodecError
from tests.ports.codecs import CASES, CodecCase

each_codec = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@each_codec
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_value_comes_back_as_it_was(case: CodecCase, data: st.DataObject) -> None:
    codec, value = case.make(), data.draw(case.values)
    encoded = codec.encode(value)
    decoded = codec.decode(encoded)
    assert type(encoded) is bytes
    assert decoded == value
    assert type(decoded) is type(value)


@each_codec
def test_none_is_no_bytes_and_no_bytes_are_none(case: CodecCase) -> None:
    assert case.make().encode(None) is None
    assert case.make().decode(None) is None


@each_codec
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_headers_that_a_codec_does_not_read_change_nothing(case: CodecCase, data: st.DataObject) -> None:
    codec, value = case.make(), data.draw(case.values)
    assert "trace" not in codec.headers_read
    assert codec.decode(codec.encode(value), (("trace", b"1"), ("none", None))) == value


@pytest.mark.parametrize("case", [case for case in CASES if case.garbage is not None], ids=lambda case: case.name)
def test_bytes_that_hold_no_such_value_are_refused_in_one_line(case: CodecCase) -> None:
    with pytest.raises(CodecError) as refused:
        case.make().decode(case.garbage)
    assert len(str(refused.value).splitlines()) == 1


@each_codec
def test_a_value_that_the_codec_cannot_hold_is_refused_in_one_line(case: CodecCase) -> None:
    with pytest.raises(CodecError) as refused:
        case.make().encode(object())
    assert len(str(refused.value).splitlines()) == 1


@each_codec
@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=30))
def test_bytes_from_anywhere_give_a_value_or_a_codec_error(case: CodecCase, data: bytes) -> None:
    codec = case.make()
    try:
        decoded = codec.decode(data)
    except CodecError:
        return
    assert repr(codec.decode(codec.encode(decoded))) == repr(decoded)


@each_codec
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_a_codec_sent_to_another_process_writes_the_same(case: CodecCase, data: st.DataObject) -> None:
    codec, value = case.make(), data.draw(case.values)
    sent = pickle.loads(pickle.dumps(codec))
    assert sent.encode(value) == codec.encode(value)
