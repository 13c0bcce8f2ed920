"""A versioned key-value store in a database, with an index by the end of validity for expiry."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from eddyline.adapters.rocksdb.rows import AFTER_LAST, LATEST, TIME_BYTES, RowOf, time_bytes, time_in
from eddyline.adapters.rocksdb.table import Entry, Table
from eddyline.application.ports.state_store import StoreChange, VersionedKeyValueStore, VersionedRecord
from eddyline.application.ports.store_values import null_key, own_copy

K = TypeVar("K")
V = TypeVar("V")


class RocksDBVersionedKeyValueStore(VersionedKeyValueStore[K, V]):
    """Versions by key and timestamp; `key_row` returns the bytes of a key.

    A row is a key and a timestamp. The index has, by the time at which they stop being valid, the versions that expire when the
    history no longer reaches back to it. A version is listed again when its end changes, and ignored where its end is no longer
    the listed one. `_oldest` is a time before which the index has no rows; None if it is not known.
    """

    def __init__(self, table: Table, key_row: RowOf, history_retention_ms: int) -> None:
        self.name, self._table, self._key_row = table.name, table, key_row
        self._retention = history_retention_ms
        self._newest = -1
        self._oldest: int | None = None

    @property
    def newest(self) -> int:
        return self._newest

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            self._advance(newest)
            self._expire(newest - self._retention)

    def get(self, key: K, as_of_timestamp: int | None = None) -> VersionedRecord | None:
        row = self._key_row(key)
        found = next(self._table.scan(row, row + self._end(as_of_timestamp), reverse=True), None)
        if found is None or found.value[0] is None:
            return None
        timestamp = found.key[1]
        if as_of_timestamp is None:
            return self._record(found, None)
        following = self._following(row, timestamp)
        if following is not None and as_of_timestamp < self._newest - self._retention:
            return None
        return self._record(found, following)

    def put(self, key: K, value: V | None, timestamp: int) -> bool:
        if key is None:
            raise null_key(self.name)
        if timestamp < self._newest - self._retention:
            return False
        if timestamp > self._newest:
            self._advance(timestamp)
        self._list(key, timestamp, value)
        self._table.put((key, timestamp), (value,))
        self._expire(self._newest - self._retention)
        return True

    def delete(self, key: K, timestamp: int) -> VersionedRecord | None:
        valid = self.get(key, timestamp)
        return valid if self.put(key, None, timestamp) else None

    def is_latest(self, key: K, timestamp: int) -> bool:
        row = self._key_row(key)
        found = next(self._table.scan(row, row + self._end(None), reverse=True), None)
        return found is None or bool(found.key[1] <= timestamp)

    def approximate_num_entries(self) -> int:
        return len(self._table)

    def drain_changes(self) -> Sequence[StoreChange]:
        return self._table.drain()

    def drain_encoded(self) -> Sequence[tuple[bytes, bytes | None]]:
        return self._table.drain_encoded()

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for (key, timestamp), entry in changes:
            if entry is not None:
                self._list(key, timestamp, entry[0])
            self._table.restore([StoreChange((key, timestamp), entry)])
        self._oldest = None

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange(key, value) for _, key, value in self._table.scan_all())

    def _record(self, found: Entry, valid_to: int | None) -> VersionedRecord:
        value = found.value[0]
        return VersionedRecord(value if self._table.undo is None else own_copy(value), found.key[1], valid_to)

    def _advance(self, newest: int) -> None:
        if self._table.undo is not None:
            self._table.undo.append(partial(self._rewind, self._newest))
        self._newest = newest

    def _rewind(self, newest: int) -> None:
        self._newest, self._oldest = newest, None

    def _list(self, key: K, timestamp: int, value: V | None) -> None:
        """List the versions for expiry whose end a new version changes, before it is put."""
        row = self._key_row(key)
        following = self._following(row, timestamp)
        if self._table.get((key, timestamp)) is None:
            before = next(self._table.scan(row, row + time_bytes(timestamp), reverse=True), None)
            if before is not None:
                self._expire_at(timestamp, before.row)
            if following is not None:
                self._expire_at(following, row + time_bytes(timestamp))
        if following is None and value is None:
            self._expire_at(timestamp, row + time_bytes(timestamp))

    def _following(self, row: bytes, timestamp: int) -> int | None:
        """Return the timestamp of the next version of the key with these bytes."""
        found = next(self._table.scan(row + time_bytes(timestamp + 1), row + self._end(None)), None)
        return None if found is None else found.key[1]

    @staticmethod
    def _end(as_of_timestamp: int | None) -> bytes:
        return AFTER_LAST * (TIME_BYTES + 1) if as_of_timestamp is None else time_bytes(as_of_timestamp) + b"\x00"

    def _expire_at(self, end: int, row: bytes) -> None:
        if self._oldest is not None and end < self._oldest:
            self._oldest = end
        self._table.index(time_bytes(end) + row, b"")

    def _expire(self, horizon: int) -> None:
        """Remove the versions that were not valid at `horizon` or later; a deletion is valid at its own timestamp only."""
        if self._oldest is not None and self._oldest > horizon:
            return
        self._oldest = LATEST
        for listed in self._table.by_expiry():
            if time_in(listed) > horizon:
                self._oldest = time_in(listed)
                return
            self._table.index(listed, None)
            self._expire_up_to(listed[TIME_BYTES:], horizon)

    def _expire_up_to(self, row: bytes, horizon: int) -> None:
        store_key = self._table.key_at(row)
        version = None if store_key is None else self._table.get(store_key)
        if version is None:
            return
        key_row = row[:-TIME_BYTES]
        following = self._following(key_row, store_key[1])
        if (version[0] is None) if following is None else following <= horizon:
            for older in self._table.scan(key_row, row + b"\x00"):
                self._table.put(older.key, None)
