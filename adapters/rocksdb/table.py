"""The entries of a store in a database, with a write-back cache of decoded entries."""

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from eddyline.adapters.rocksdb.database import Change, Database
from eddyline.adapters.rocksdb.memory import CachedEntries
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.state_store import StoreChange, UndoLog, UnencodableEntryError
from eddyline.application.ports.store_values import null_key
from eddyline.application.runtime.plan.topic_types import StateCodecs

_MISSING: Final = object()
_KEY_BYTES: Final = struct.Struct("<I")
_MAX_UNWRITTEN: Final = 50_000


class Entry(NamedTuple):
    """A store key with its value, and the row where they are."""

    row: bytes
    key: Any
    value: Any


class Table:
    """The entries of a store by store key; what they are in the database is a row with the encoded key and value.

    Changes are written when they are drained, when entries are scanned, and when there are many of them.

    Args:
        database: The database of the task.
        name: The name of the store.
        codecs: The codecs of store keys and values.
        row_of: Returns the bytes of a store key in the database, which sort as the store keys do.
        index_of: Returns the bytes of a store key in the index by which entries expire; None if there is no such index, or if
            the store adds its rows.
    """

    undo: UndoLog | None = None

    def __init__(
        self,
        database: Database,
        name: str,
        codecs: StateCodecs,
        row_of: Callable[[Any], bytes],
        index_of: Callable[[Any], bytes] | None = None,
    ) -> None:
        self._database, self.name, self._codecs = database, name, codecs
        self._row_of, self._index_of = row_of, index_of
        self.prefix = database.prefix(name)
        self.index_prefix = database.prefix(f"{name}\x00expiry")
        self._unwritten: dict[Any, Any] = {}
        self._index_changes: dict[bytes, bytes | None] = {}
        self._cached = CachedEntries(database.memory)
        self._absent: set[Any] = set()
        self._changed: dict[Any, None] = {}
        self._encoded_changes: dict[Any, tuple[bytes, bytes | None]] = {}
        self._writes = 0
        self._count = database.count(name)

    def get(self, key: Any) -> Any:
        """Return the value of a store key, None if there is none."""
        value = self._unwritten.get(key, _MISSING)
        if value is _MISSING:
            value = self._cached.current.get(key)
            if value is None:
                return self._load(key)
        return value

    def assign(self, key: Any, value: Any) -> None:
        """Set the value of a store key, None to delete it; it does not count as a change."""
        self._unwritten[key] = value
        if self._index_of is not None:
            self._index_changes[self.index_prefix + self._index_of(key)] = None if value is None else b""
        if len(self._unwritten) >= _MAX_UNWRITTEN:
            self.write()

    def put(self, key: Any, value: Any) -> None:
        """Set the value of a store key, None to delete it, as a change."""
        if self.undo is not None:
            self.undo.append(partial(self.assign, key, self.get(key)))
            if value is not None:
                self.undo.changes.append((self.name, StoreChange(key, value)))
        self._changed[key] = None
        self.assign(key, value)

    def index(self, row: bytes, value: bytes | None) -> None:
        """Add a row to the index, or remove it if the value is None."""
        if self.undo is not None and value is None:
            self.undo.append(partial(self.index, row, b""))
        self._index_changes[self.index_prefix + row] = value

    def __len__(self) -> int:
        self.write()
        return self._count

    def drain(self) -> list[StoreChange]:
        """Return the changed entries in their present state, and write them."""
        changes = [StoreChange(key, self.get(key)) for key in self._changed]
        self.write()
        self._changed.clear()
        self._encoded_changes.clear()
        return changes

    def drain_encoded(self) -> list[tuple[bytes, bytes | None]]:
        """Return the changed entries in their present state, encoded, and write them."""
        self.write()
        changes = list(self._encoded_changes.values())
        self._changed.clear()
        self._encoded_changes.clear()
        return changes

    def restore(self, changes: Iterable[StoreChange]) -> None:
        """Apply changes without counting them as changes."""
        for key, value in changes:
            self.assign(key, value)
        self.write()
        self._cached.clear()

    def restore_encoded(self, entries: Iterable[tuple[bytes, bytes | None]]) -> None:
        """Apply changes whose keys and values are encoded, without counting them as changes."""
        self.write()
        prefix, row_of, index_of, decode = self.prefix, self._row_of, self._index_of, self._codecs.key.decode
        changes: dict[bytes, bytes | None] = {}
        indexed: list[Change] = []
        for encoded, value in entries:
            key = decode(encoded)
            changes[prefix + row_of(key)] = None if value is None else _entry(encoded, value)
            if index_of is not None:
                indexed.append((self.index_prefix + index_of(key), None if value is None else b""))
        before = self._database.get_many(list(changes))
        for value, found in zip(changes.values(), before, strict=True):
            self._count += (value is not None) - (found is not None)
        self._writes += 1
        self._database.write([*changes.items(), *indexed])
        self._absent.clear()
        self._cached.clear()

    def scan(self, first: bytes, end: bytes, *, reverse: bool = False) -> Iterator[Entry]:
        """Return the entries whose rows are between `first` and `end`, without the prefix of the table and without the end.

        Entries that are added during the iteration are not returned, nor are those that are deleted meanwhile.
        """
        self.write()
        found = self._database.scan(self.prefix + first, self.prefix + end, reverse=reverse)
        return self._entries(found, self._writes)

    def scan_all(self) -> Iterator[Entry]:
        """Return all entries by their rows."""
        return self.scan(b"", b"\xff")

    def by_expiry(self) -> Iterator[bytes]:
        """Return the rows of the index, those that expire first at the beginning."""
        self.write()
        length = len(self.index_prefix)
        return (row[length:] for row, _ in self._database.scan_prefix(self.index_prefix))

    def key_at(self, row: bytes) -> Any:
        """Return the store key in a row, None if there is none."""
        data = self._database.get(self.prefix + row)
        return None if data is None else self._codecs.key.decode(_key_in(data))

    def write(self) -> None:
        """Write what has changed to the database."""
        if not self._unwritten and not self._index_changes:
            return
        self._writes += 1
        self._database.write(self._take_changes())
        self._absent.clear()

    def _take_changes(self) -> list[Change]:
        unwritten, cached = self._unwritten, self._cached
        encoded = [(key, value, *self._encoded(key, value)) for key, value in unwritten.items()]
        absent = self._without_rows()
        changes: list[Change] = []
        size = 0
        for key, value, encoded_key, encoded_value in encoded:
            if key in self._changed:
                self._encoded_changes[key] = (encoded_key, encoded_value)
            row = self.prefix + self._row_of(key)
            if encoded_value is None:
                self._count -= key not in absent
                cached.remove(key)
                changes.append((row, None))
            else:
                self._count += key in absent
                cached.current[key] = value
                data = _entry(encoded_key, encoded_value)
                size += len(data)
                changes.append((row, data))
        cached.added(len(encoded), size)
        changes += self._index_changes.items()
        self._unwritten, self._index_changes = {}, {}
        return changes

    def _without_rows(self) -> set[Any]:
        """Return those of the unwritten store keys that have no rows yet."""
        absent, current, previous = self._absent, self._cached.current, self._cached.previous
        unknown = [key for key in self._unwritten if key not in absent and key not in current and key not in previous]
        found = self._database.get_many([self.prefix + self._row_of(key) for key in unknown])
        return absent.union(key for key, data in zip(unknown, found, strict=True) if data is None)

    def _load(self, key: Any) -> Any:
        if key is None:
            raise null_key(self.name)
        value = self._cached.previous.get(key)
        if value is not None:
            return value
        if key in self._absent:
            return None
        data = self._database.get(self.prefix + self._row_of(key))
        if data is None:
            self._absent.add(key)
            return None
        value = self._codecs.value.decode(_value_in(data))
        self._cached.current[key] = value
        self._cached.added(1, len(data))
        return value

    def _encoded(self, key: Any, value: Any) -> tuple[bytes, bytes | None]:
        try:
            return self._codecs.key.encode(key) or b"", self._codecs.value.encode(value)
        except CodecError as error:
            raise UnencodableEntryError(error, self.name, key) from error

    def _entries(self, found: Iterator[tuple[bytes, bytes]], writes: int) -> Iterator[Entry]:
        decode_key, decode_value = self._codecs.key.decode, self._codecs.value.decode
        length = len(self.prefix)
        for row, data in found:
            key = decode_key(_key_in(data))
            value = decode_value(_value_in(data)) if self._writes == writes and key not in self._unwritten else self.get(key)
            if value is not None:
                yield Entry(row[length:], key, value)


def _entry(key: bytes, value: bytes) -> bytes:
    return b"".join((_KEY_BYTES.pack(len(key)), key, value))


def _key_in(data: bytes) -> bytes:
    return data[4 : 4 + _KEY_BYTES.unpack_from(data)[0]]


def _value_in(data: bytes) -> bytes:
    return data[4 + _KEY_BYTES.unpack_from(data)[0] :]
