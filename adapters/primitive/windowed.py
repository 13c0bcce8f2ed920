"""Keys in windows as Kafka Streams writes them: the key's own bytes, then bounds of 8 bytes each, big-endian milliseconds."""

import struct
from typing import Any

from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.windows import Window, Windowed

_START = struct.Struct(">q")
_END_AND_START = struct.Struct(">qq")


class TimeWindowedCodec(Codec):
    """As TimeWindowedSerializer: the key, then the window's start.

    The end is not written: a window that is read ends `size_ms` after its start. Windows of another size can be written.
    """

    def __init__(self, key: Codec, size_ms: int) -> None:
        self._key = key
        self.headers_read = key.headers_read
        self._size_ms = size_ms

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        window = _window(value)
        return _key_bytes(self._key, value) + _START.pack(window.start)

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if data is None:
            return None
        key, (start,) = _split(data, _START)
        return Windowed(self._key.decode(key, headers), Window(start, start + self._size_ms))


class SessionWindowedCodec(Codec):
    """As SessionWindowedSerializer: the key, then the session's end, then its start."""

    def __init__(self, key: Codec) -> None:
        self._key = key
        self.headers_read = key.headers_read

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        window = _window(value)
        return _key_bytes(self._key, value) + _END_AND_START.pack(window.end, window.start)

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if data is None:
            return None
        key, (end, start) = _split(data, _END_AND_START)
        return Windowed(self._key.decode(key, headers), Window(start, end))


def _window(value: Any) -> Window:
    if isinstance(value, Windowed):
        return value.window
    raise CodecError(f"should be a Windowed key, not {type(value).__name__} {value!r:.60}")


def _key_bytes(codec: Codec, value: Any) -> bytes:
    data = codec.encode(value.key)
    if data is None:
        raise CodecError("a windowed key needs a key, but it is None")
    return data


def _split(data: bytes, bounds: struct.Struct) -> tuple[bytes, tuple[int, ...]]:
    """The key's bytes, and the numbers behind them."""
    if len(data) < bounds.size:
        raise CodecError(f"a windowed key ends with {bounds.size} bytes of bounds, but there are {len(data)} bytes in all")
    return data[: -bounds.size], bounds.unpack(data[-bounds.size :])
