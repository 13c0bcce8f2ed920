"""Windowed keys in the binary format of Kafka Streams: the encoded key, followed by bounds of the window.

Each bound takes 8 bytes: milliseconds since the epoch, big-endian.
"""

import struct
from typing import Any

from eddyline.adapters.codecs.errors import expected_found
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.windows import Window, Windowed

_MAX_END = (1 << 63) - 1
_START = struct.Struct(">q")
_END_AND_START = struct.Struct(">qq")


class TimeWindowedCodec(Codec):
    """Keys in time windows, as Kafka Streams' TimeWindowedSerializer writes them: the key, then the start of the window.

    The end of the window is not written. Decoding sets it to `size_ms` after the start, at most to the greatest integer of 64
    bits; encoding accepts windows of any size.
    Without a byte, the key is null, as in Kafka Streams.
    """

    def __init__(self, key: Codec, size_ms: int) -> None:
        self._key = self.base = key
        self.headers_read = key.headers_read
        self._size_ms = size_ms

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        window = _window(value)
        try:
            return _key_bytes(self._key, value) + _START.pack(window.start)
        except struct.error:
            raise _out_of_range(window) from None

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if not data:
            return None
        key, (start,) = _split(data, _START)
        _check(start, start)
        return Windowed(self._key.decode(key, headers), Window(start, min(start + self._size_ms, _MAX_END)))


class SessionWindowedCodec(Codec):
    """Keys in session windows, as Kafka Streams' SessionWindowedSerializer writes them: the key, then the end, then the start.

    Without a byte, the key is null, as in Kafka Streams.
    """

    def __init__(self, key: Codec) -> None:
        self._key = self.base = key
        self.headers_read = key.headers_read

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        window = _window(value)
        try:
            return _key_bytes(self._key, value) + _END_AND_START.pack(window.end, window.start)
        except struct.error:
            raise _out_of_range(window) from None

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if not data:
            return None
        key, (end, start) = _split(data, _END_AND_START)
        _check(start, end)
        return Windowed(self._key.decode(key, headers), Window(start, end))


def not_windowed(value: object) -> CodecError:
    """Return the error for a key that is not a Windowed key."""
    return CodecError(expected_found("a Windowed key", value))


def _window(value: Any) -> Window:
    if isinstance(value, Windowed):
        return value.window
    raise not_windowed(value)


def _out_of_range(window: Window) -> CodecError:
    return CodecError(f"the bounds of {window} are not integers of 64 bits")


def _check(start: int, end: int) -> None:
    """Refuse the bounds that Kafka Streams refuses."""
    if start < 0 or end < start:
        raise CodecError(
            f"the window of a windowed key starts at {start} and ends at {end}, but must start at 0 or later and end no earlier"
        )


def _key_bytes(codec: Codec, value: Any) -> bytes:
    data = codec.encode(value.key)
    if data is None:
        raise CodecError("the key of a windowed key must not be None")
    return data


def _split(data: bytes, bounds: struct.Struct) -> tuple[bytes, tuple[int, ...]]:
    """Split the data into the bytes of the key and the bounds of the window."""
    if len(data) < bounds.size:
        raise CodecError(
            f"a windowed key ends with {bounds.size} bytes of window bounds, but it has only {len(data)} bytes in all"
        )
    return data[: -bounds.size], bounds.unpack(data[-bounds.size :])
