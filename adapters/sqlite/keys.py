"""Keys as bytes that sort as stores iterate: text by its UTF-8 bytes, whole numbers by size, tuples part by part.

Keys of other types sort as their codec's bytes do.
"""

import struct
from collections.abc import Iterator
from typing import Any, get_args, get_origin

from eddyline.application.ports.codec import Codecs

_SIGN = 1 << 63
_NUMBER = struct.Struct(">Q")

_END = b"\x00\x00"
_ZERO, _ESCAPED_ZERO = b"\x00", b"\x00\xff"


class OrderedKeys:
    """Encodes and decodes the keys of one store."""

    def __init__(self, key_type: object, codecs: Codecs) -> None:
        self._type = key_type
        self._codec = codecs.for_state(key_type)
        parts = get_args(key_type) if get_origin(key_type) is tuple else ()
        self._parts = () if Ellipsis in parts else tuple(OrderedKeys(part, codecs) for part in parts)

    def encode(self, key: Any) -> bytes:
        """The key as bytes. What begins a tuple gives the bytes that the whole begins with."""
        if self._type is str:
            return str(key).encode()
        if self._type is int:
            return _NUMBER.pack(key + _SIGN)
        if self._parts:
            return b"".join(
                part.encode(value).replace(_ZERO, _ESCAPED_ZERO) + _END for part, value in zip(self._parts, key, strict=False)
            )
        return self._codec.encode(key) or b""

    def decode(self, data: bytes) -> Any:
        """The key in the bytes."""
        if self._type is str:
            return data.decode()
        if self._type is int:
            return _NUMBER.unpack(data)[0] - _SIGN
        if self._parts:
            return tuple(part.decode(piece) for part, piece in zip(self._parts, _pieces(data), strict=True))
        return self._codec.decode(data)


def _pieces(data: bytes) -> Iterator[bytes]:
    """The parts of a tuple, without what marks their ends."""
    start = place = 0
    while place < len(data):
        pair = data[place : place + 2]
        if pair == _END:
            yield data[start:place].replace(_ESCAPED_ZERO, _ZERO)
            start = place + 2
        place += 2 if pair[:1] == _ZERO else 1
