"""A window store in a database, with an index by window start for expiry."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from eddyline.adapters.rocksdb.rows import LATEST, TIME_BYTES, RowOf, time_bytes, time_in
from eddyline.adapters.rocksdb.table import Table
from eddyline.application.ports.state_store import StoreChange, WindowStore
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class RocksDBWindowStore(WindowStore[K, V]):
    """Values by key and window start; `key_row` returns the bytes of a key.

    A row is a key and a start, a row of the index is a start and a key. `_oldest` is a start before which there are no entries,
    so that most records need not look into the index; None if it is not known.
    """

    def __init__(self, table: Table, key_row: RowOf, retention_ms: int) -> None:
        self.name, self._table, self._key_row = table.name, table, key_row
        self._retention = retention_ms
        self._newest = -1
        self._oldest: int | None = None

    @property
    def newest(self) -> int:
        return self._newest

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            if self._table.undo is not None:
                self._table.undo.append(partial(self._rewind, self._newest))
            self._newest = newest
            self._expire(newest - self._retention)

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
        value: V | None = self._table.read((key, start))
        return value

    def fetch_range(self, key: K, first: int, last: int) -> Sequence[tuple[int, V]]:
        if first > last:
            return []
        row = self._key_row(key)
        found = self._table.scan(row + time_bytes(first), row + time_bytes(last) + b"\x00")
        return [(entry.key[1], entry.value) for entry in found]

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[K, int, V]]:
        return [(*entry.key, entry.value) for entry in self._table.scan_all() if first <= entry.key[1] <= last]

    def approximate_num_entries(self) -> int:
        return len(self._table)

    def drain_changes(self) -> Sequence[StoreChange]:
        return self._table.drain()

    def drain_encoded(self) -> Sequence[tuple[bytes, bytes | None]]:
        return self._table.drain_encoded()

    def restore(self, changes: Iterable[StoreChange]) -> None:
        self._table.restore(changes)
        self._oldest = None

    def restore_encoded(self, entries: Iterable[tuple[bytes, bytes | None]]) -> bool:
        self._table.restore_encoded(entries)
        self._oldest = None
        return True

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange(key, value) for _, key, value in self._table.scan_all())

    def _rewind(self, newest: int) -> None:
        self._newest, self._oldest = newest, None

    def _expire(self, horizon: int) -> None:
        if self._oldest is not None and self._oldest > horizon:
            return
        self._oldest = LATEST
        for row in self._table.by_expiry():
            start = time_in(row)
            if start > horizon:
                self._oldest = start
                return
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
