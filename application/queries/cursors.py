"""Cursors: text that identifies the last row of a page, so that the next page continues after it."""

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final
from zlib import crc32

from eddyline.application.ports.read_model import EntryKey, StoredEntry
from eddyline.application.queries.answers import InvalidQueryError

_FIELDS: Final = struct.Struct(">IIqq")
"""The checksum of the store's name and the sort key, the partition, and the times of the entry."""


def cursor_after(store: str, entry: StoredEntry) -> str:
    """Return the cursor that continues after an entry of a store."""
    key, start, end = entry.found_by
    return urlsafe_b64encode(_FIELDS.pack(_checksum(store, key), entry.partition, start, end) + key).decode().rstrip("=")


def position_of(store: str, cursor: str) -> tuple[EntryKey, int]:
    """Return the entry after which a cursor continues, and its partition.

    Raises:
        InvalidQueryError: it is none of this store.
    """
    try:
        data = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        checksum, partition, start, end = _FIELDS.unpack_from(data)
    except (ValueError, struct.error):
        raise _invalid(store, cursor) from None
    key = data[_FIELDS.size :]
    if checksum != _checksum(store, key):
        raise _invalid(store, cursor)
    return EntryKey(key, start, end), partition


def _invalid(store: str, cursor: str) -> InvalidQueryError:
    return InvalidQueryError(f"invalid cursor '{cursor}' for store '{store}'; pass the cursor of the previous answer unchanged")


def _checksum(store: str, key: bytes) -> int:
    return crc32(key, crc32(store.encode("utf-8", "surrogatepass")))
