from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Window, Windowed


def test_strings_in_topics_have_no_quotes_like_those_of_kafkas_serializers() -> None:
    assert JsonCodecs().for_key("t", str).encode("ключ") == "ключ".encode()
    assert JsonCodecs().for_value("t", str | None).encode("a b") == b"a b"


def test_keys_of_other_types_are_json() -> None:
    assert JsonCodecs().for_key("t", int).encode(5) == b"5"
    assert JsonCodecs().for_key("t", tuple[str, int]).encode(("a", 5)) == b'["a",5]'


def test_a_windowed_key_is_an_object() -> None:
    codec = JsonCodecs().for_key("t", Windowed[str])
    assert codec.encode(Windowed("AAPL", Window(0, 5000))) == b'{"key":"AAPL","window":{"start":0,"end":5000}}'


def test_a_windowed_key_of_unknown_type_is_decoded_as_it_was_encoded() -> None:
    codec = JsonCodecs().for_key("t", Windowed[UNKNOWN])  # type: ignore[valid-type]
    key = Windowed("AAPL", Window(0, 5000))
    assert codec.decode(codec.encode(key)) == key


def test_a_key_without_window_is_an_error_where_windowed_keys_are_declared() -> None:
    with pytest.raises(CodecError, match="expected a Windowed key, found str 'AAPL'"):
        JsonCodecs().for_key("t", Windowed[str]).encode("AAPL")


def test_keys_of_unknown_type_are_encoded_by_their_class_and_decoded_as_strings() -> None:
    codec = JsonCodecs().for_key("t", UNKNOWN)
    assert codec.decode(b'{"a":1}') == '{"a":1}'
    assert [codec.encode(key) for key in ("AAPL", 5, b"\xff", ("a", 1))] == [b"AAPL", b"5", b"\xff", b'["a",1]']


def test_strings_in_state_have_quotes() -> None:
    assert JsonCodecs().for_state(str).encode("a") == b'"a"'


@pytest.mark.parametrize("key_type", [str, int, bool | None, tuple[str, int], UNKNOWN])
def test_many_windowed_keys_are_encoded_as_one_by_one(key_type: object) -> None:
    codec = JsonCodecs().for_key("t", Windowed[key_type])  # type: ignore[valid-type]
    samples: dict[object, list[object]] = {
        str: ['a"\n', "ключ", ""],
        int: [0, -5, 2**70],
        bool | None: [True, None],
        tuple[str, int]: [("a", 1)],
    }
    keys = [
        Windowed(key, Window(start, start + 5)) for key in samples.get(key_type, ["a", 5]) for start in (-10, 0, 1_700_000_000)
    ] * 2
    assert list(codec.encode_all(keys)) == [codec.encode(key) for key in keys]
    assert list(codec.encode_all([*keys, None])) == [*map(codec.encode, keys), None]
    assert list(codec.encode_all([])) == []


def test_many_windowed_keys_with_one_that_is_not_valid_are_an_error() -> None:
    codec = JsonCodecs().for_key("t", Windowed[str])
    valid = Windowed("a", Window(0, 5))
    fraction: Any = 0.5
    number: Any = 5
    no_key: Any = None
    for other in ("a", Windowed(number, valid.window), Windowed(no_key, valid.window), Windowed("a", Window(fraction, 5))):
        with pytest.raises(CodecError) as together:
            codec.encode_all([valid, other, valid, valid])
        with pytest.raises(CodecError) as alone:
            codec.encode(other)
        assert str(together.value) == str(alone.value)
