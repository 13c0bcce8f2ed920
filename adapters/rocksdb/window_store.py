"""A window store in a database, with an index by window start for expiry."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from eddyline.adapters.rocksdb.expiring_store import ExpiringStore
from eddyline.adapters.rocksdb.rows import TIME_BYTES, RowOf, time_bytes
from eddyline.application.ports.state_store import StoreChange, WindowStore
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class RocksDBWindowStore(ExpiringStore, WindowStore[K, V]):
    """Values by key and window start: a row is a key and a start, a row of the index is a start and a key."""

    def put(self, key: K, value: V | None, start: int) -> bool:
        if key is None:
            raise null_key(self.name)
        if start > self._newest:
            self.observe(start)
        elif start <= self._newest - self._retention:
            return False
        if self._oldest is not None and start < self._oldest:
            self._oldest = start
        self._table.put((key, start), value)
        return True

    def fetch(self, key: K, start: int) -> V | None:
        if key is None:
            raise null_key(self.name)
        value: V | None = self._table.get((key, start))
        return value

    def fetch_range(self, key: K, first: int, last: int) -> Sequence[tuple[int, V]]:
        if key is None:
            raise null_key(self.name)
        if first > last:
            return []
        row = self._key_row(key)
        found = self._table.scan(row + time_bytes(first), row + time_bytes(last) + b"\x00")
        return [(entry.key[1], entry.value) for entry in found]

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[K, int, V]]:
        return [(*entry.key, entry.value) for entry in self._table.scan_all() if first <= entry.key[1] <= last]

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange(key, value) for _, key, value in self._table.scan_all())

    def _expire_row(self, row: bytes) -> None:
        key = self._table.key_at(row[TIME_BYTES:] + row[:TIME_BYTES])
        if key is not None:
            self._table.put(key, None)


def window_row(key_row: RowOf, store_key: tuple[Any, int]) -> bytes:
    """Return the row of a key and a window start."""
    key, start = store_key
    return key_row(key) + time_bytes(start)


def window_index(key_row: RowOf, store_key: tuple[Any, int]) -> bytes:
    """Return the row of the index for a key and a window start."""
    key, start = store_key
    return time_bytes(start) + key_row(key)
