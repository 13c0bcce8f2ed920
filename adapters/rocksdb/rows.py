"""Rows: the bytes of store keys, which sort as the keys do, with times in 8 bytes after the key."""

import struct
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from eddyline.application.queries.sort_keys import sort_key
from eddyline.application.runtime.plan.encoding import StateKeyCodec

RowOf: TypeAlias = Callable[[Any], bytes]
"""Returns the bytes of a key."""

AFTER_LAST: Final = b"\xff"
"""Is greater than the bytes of all keys, and, after the bytes of a key or a prefix, than all rows that begin with them."""

_TIME: Final = struct.Struct(">Q")
_EARLIEST: Final = -(1 << 63)
LATEST: Final = (1 << 63) - 1
"""The latest time that a row can have, in ms since the epoch."""

TIME_BYTES: Final = _TIME.size


def time_bytes(time: int) -> bytes:
    """Return a time in ms since the epoch as bytes; times that do not fit are the earliest or the latest."""
    return _TIME.pack(min(max(time, _EARLIEST), LATEST) - _EARLIEST)


def time_in(data: bytes) -> int:
    """Return the time in the first bytes."""
    time: int = _TIME.unpack_from(data)[0]
    return time + _EARLIEST


def key_rows(codec: StateKeyCodec) -> RowOf:
    """Return what returns the bytes of the keys that a codec encodes, which sort as the keys do.

    Keys of a type without an order are sorted by their encoding.
    """
    canonical = codec.canonical

    def row_of(key: Any) -> bytes:
        if type(key) is str and "\x00" not in key:
            return b"\x20%b\x00\x00" % key.encode("utf-8", "surrogatepass")
        found = canonical(key)
        try:
            return sort_key(found)
        except TypeError:
            return sort_key(found, codec.encode(found))

    return row_of
