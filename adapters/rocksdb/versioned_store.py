"""A versioned key-value store in a database, with an index by the end of validity for expiry."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from eddyline.adapters.rocksdb.expiring_store import ExpiringStore
from eddyline.adapters.rocksdb.rows import AFTER_LAST, TIME_BYTES, time_bytes
from eddyline.adapters.rocksdb.table import Entry
from eddyline.application.ports.state_store import StoreChange, VersionedKeyValueStore, VersionedRecord
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class RocksDBVersionedKeyValueStore(ExpiringStore, VersionedKeyValueStore[K, V]):
    """Versions by key and timestamp.

    A row is a key and a timestamp. The index has, by the time at which they stop being valid, the versions that expire when the
    history no longer reaches back to it. A version is listed again when its end changes, and ignored where its end is no longer
    the listed one.
    """

    def get(self, key: K, as_of_timestamp: int | None = None) -> VersionedRecord | None:
        if key is None:
            raise null_key(self.name)
        row = self._key_row(key)
        found = next(self._table.scan(row, row + self._end(as_of_timestamp), reverse=True), None)
        if found is None or found.value[0] is None:
            return None
        timestamp = found.key[1]
        if as_of_timestamp is None:
            return self._record(found, None)
        following = self._following(row, timestamp)
        if following is not None and as_of_timestamp < self._horizon:
            return None
        return self._record(found, following)

    def put(self, key: K, value: V | None, timestamp: int) -> bool:
        if key is None:
            raise null_key(self.name)
        if timestamp < self._horizon:
            return False
        if timestamp > self._newest:
            self._advance(timestamp)
        self._list(key, timestamp, value)
        self._table.put((key, timestamp), (value,))
        self._expire()
        return True

    def delete(self, key: K, timestamp: int) -> VersionedRecord | None:
        valid = self.get(key, timestamp)
        return valid if self.put(key, None, timestamp) else None

    def is_latest(self, key: K, timestamp: int) -> bool:
        row = self._key_row(key)
        found = next(self._table.scan(row, row + self._end(None), reverse=True), None)
        return found is None or bool(found.key[1] <= timestamp)

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for (key, timestamp), entry in changes:
            if entry is not None:
                self._list(key, timestamp, entry[0])
            self._table.restore([StoreChange((key, timestamp), entry)])
        self._oldest = None

    def restore_encoded(self, entries: Iterable[tuple[bytes, bytes | None]]) -> bool:
        del entries
        return False  # the ends of versions are listed for expiry, for which they are decoded

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange(key, value) for _, key, value in self._table.scan_all())

    def _record(self, found: Entry, valid_to: int | None) -> VersionedRecord:
        return VersionedRecord(found.value[0], found.key[1], valid_to)

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

    def _expire_row(self, row: bytes) -> None:
        """Remove a version and the older ones if it was not valid at the horizon; a deletion is so at its own timestamp only."""
        self._table.index(row, None)
        listed = row[TIME_BYTES:]
        store_key = self._table.key_at(listed)
        version = None if store_key is None else self._table.get(store_key)
        if version is None:
            return
        key_row = listed[:-TIME_BYTES]
        following = self._following(key_row, store_key[1])
        if (version[0] is None) if following is None else following <= self._horizon:
            for older in self._table.scan(key_row, listed + b"\x00"):
                self._table.put(older.key, None)
