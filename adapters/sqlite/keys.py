"""Keys as bytes that sort as stores iterate: text by its UTF-8 bytes, whole numbers by size, everything else by its codec."""

import struct
from typing import Any

from application.ports.codec import Codec

_SIGN = 1 << 63
_NUMBER = struct.Struct(">Q")


class OrderedKeys:
    """Encodes and decodes the keys of one store."""

    def __init__(self, key_type: object, codec: Codec) -> None:
        self._type = key_type
        self._codec = codec

    def encode(self, key: Any) -> bytes:
        """The key as bytes."""
        if self._type is str:
            return str(key).encode()
        if self._type is int:
            return _NUMBER.pack(key + _SIGN)
        return self._codec.encode(key) or b""

    def decode(self, data: bytes) -> Any:
        """The key in the bytes."""
        if self._type is str:
            return data.decode()
        if self._type is int:
            return _NUMBER.unpack(data)[0] - _SIGN
        return self._codec.decode(data)
