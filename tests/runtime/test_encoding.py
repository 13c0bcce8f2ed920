"""Equal keys have equal bytes, and those of text are cached."""

from typing import Any

import pytest

from eddyline.application.operators.dictionary_column import DictionaryColumn
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.plan import encoding
from eddyline.application.runtime.plan.encoding import KeyEncoder
from eddyline.application.runtime.plan.partitioner import LONGEST_CACHED_KEY
from eddyline.application.topology.windows import Window, Windowed


class CountingEncoder(Codec):
    """Encodes keys and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def encode(self, value: Any) -> bytes | None:
        self.calls += 1
        return None if value is None else repr(value).encode()

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        return None if data is None else data.decode()


@pytest.mark.parametrize(
    ("key_type", "key", "other"),
    [
        (str, "a", "b"),
        (bytes, b"a", b"b"),
        (Windowed[str], Windowed("a", Window(0, 5)), Windowed("a", Window(1, 6))),
        (Windowed[bytes], Windowed(b"a", Window(0, 5)), Windowed(b"a", Window(0, 6))),
    ],
)
def test_text_keys_are_encoded_once_windowed_or_not(key_type: object, key: Any, other: Any) -> None:
    encoder, keys = CountingEncoder(), (key, other, key, key)
    encode = KeyEncoder(encoder, key_type).encode
    assert [encode(key) for key in keys] == [repr(key).encode() for key in keys]
    assert encoder.calls == 2


def test_equal_keys_are_encoded_as_one_of_the_declared_type() -> None:
    encode = KeyEncoder(CountingEncoder(), float).encode
    assert [encode(1), encode(1.0), encode(True)] == [b"1.0"] * 3
    assert encode("1") == b"'1'"
    encode = KeyEncoder(CountingEncoder(), Windowed[str]).encode
    expected = b"Windowed(key='a', window=Window(start=0, end=5))"
    assert [encode(Windowed("a", Window(0, 5))), encode(("a", (0, 5)))] == [expected] * 2
    assert encode(None) is None


def test_the_bytes_of_long_keys_are_not_cached() -> None:
    encoder = CountingEncoder()
    encode = KeyEncoder(encoder, str).encode
    for _ in range(2):
        assert encode("k" * 100_000) is not None
    assert encoder.calls == 2


def test_keys_are_cached_until_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_CACHED_KEYS", 3)
    encoder = CountingEncoder()
    encode = KeyEncoder(encoder, str).encode
    for key in ("a", "b", "c", "a"):
        encode(key)
    assert encoder.calls == 3, "three are cached"
    encode("d")
    assert [encode(key) for key in ("d", "a")] == [b"'d'", b"'a'"]
    assert encoder.calls == 5, "the fourth took their place"


@pytest.mark.parametrize(("length", "calls"), [(LONGEST_CACHED_KEY, 1), (LONGEST_CACHED_KEY + 1, 2)])
def test_the_longest_key_that_is_cached_has_exactly_that_many_bytes(length: int, calls: int) -> None:
    encoder = CountingEncoder()
    encode = KeyEncoder(encoder, str).encode
    for _ in range(2):
        encode("k" * (length - len("''")))
    assert encoder.calls == calls


@pytest.mark.parametrize("key_type", [str, Windowed[str], float, object])
def test_many_keys_are_encoded_as_one_by_one(key_type: object) -> None:
    window = Window(0, 5)
    keys: list[Any] = [("a", window), Windowed("a", window), Windowed("b", window), "a", None, 1, 1.0, True, "a"]
    for chosen in (keys, keys[1:3], keys[3:4], keys[-1:] * 2, []):
        encoder = KeyEncoder(CountingEncoder(), key_type)
        expected = [KeyEncoder(CountingEncoder(), key_type).encode(key) for key in chosen]
        assert [encoder.encode_all(chosen) for _ in range(2)] == [expected] * 2


def test_many_keys_are_encoded_once_each() -> None:
    counting = CountingEncoder()
    encoder = KeyEncoder(counting, str)
    for keys in (["a", "b"], ["b", "c", "a"], ["c", "b", "a"]):
        assert encoder.encode_all(keys) == [repr(key).encode() for key in keys]
    assert counting.calls == 3


def test_a_column_of_different_keys_is_not_looked_up_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_AT_HAND", 3)
    counting = CountingEncoder()
    encoder, keys = KeyEncoder(counting, str), ["a", "b", "c", "d"]
    assert encoder.encode_all(keys) == encoder.encode_all(keys) == [repr(key).encode() for key in keys]
    assert counting.calls == 8
    assert encoder.encode_all(["a", "b"] * 2) == [b"'a'", b"'b'"] * 2
    assert counting.calls == 8, "each of few keys is looked up"


def test_a_dictionary_of_keys_is_encoded_once_for_all_records() -> None:
    counting, window = CountingEncoder(), Window(0, 5)
    distinct = [Windowed("a", window), Windowed("b", window)]
    column = DictionaryColumn(distinct, [0, 1, 0, 0, 1])
    found = KeyEncoder(counting, Windowed[str]).encode_all(column)
    assert found == [repr(distinct[index]).encode() for index in (0, 1, 0, 0, 1)]
    assert counting.calls == 2
