"""Keys are encoded once and remembered, but only those whose equals have the same bytes."""

from typing import Any

import pytest

from eddyline.application.runtime.encoding import key_encoder
from eddyline.application.topology.windows import Window, Windowed


class Counting:
    """Encodes and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, key: Any) -> bytes | None:
        self.asked += 1
        return None if key is None else repr(key).encode()


@pytest.mark.parametrize(
    ("key_type", "key", "other"),
    [
        (str, "a", "b"),
        (bytes, b"a", b"b"),
        (Windowed[str], Windowed("a", Window(0, 5)), Windowed("a", Window(1, 6))),
        (Windowed[bytes], Windowed(b"a", Window(0, 5)), Windowed(b"a", Window(0, 6))),
    ],
)
def test_texts_and_texts_in_windows_are_encoded_once(key_type: object, key: Any, other: Any) -> None:
    counting = Counting()
    encode = key_encoder(counting.encode, key_type)
    assert [encode(one) for one in (key, other, key, key)] == [repr(one).encode() for one in (key, other, key, key)]
    assert counting.asked == 2


def test_keys_that_are_equal_and_not_alike_each_have_their_own_bytes() -> None:
    encode = key_encoder(Counting().encode, float)
    assert [encode(1), encode(1.0), encode(True)] == [b"1", b"1.0", b"True"]


def test_a_key_of_another_type_than_declared_goes_to_the_codec() -> None:
    encode = key_encoder(Counting().encode, Windowed[str])
    assert encode(Windowed("a", Window(0, 5))) is not None
    assert encode(("a", (0, 5))) == b"('a', (0, 5))"
    assert encode(None) is None
