"""A session store in a database, with an index by session end for expiry."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

from eddyline.adapters.rocksdb.expiring_store import ExpiringStore
from eddyline.adapters.rocksdb.rows import AFTER_LAST, TIME_BYTES, RowOf, time_bytes
from eddyline.adapters.rocksdb.table import Entry
from eddyline.application.ports.state_store import SessionStore, StoreChange
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class RocksDBSessionStore(ExpiringStore, SessionStore[K, V]):
    """Values by key and session bounds: a row is a key, an end and a start, a row of the index is an end, a key and a start."""

    def put(self, key: K, start: int, end: int, value: V | None) -> bool:
        if key is None:
            raise null_key(self.name)
        if value is not None:
            self.observe(end)
            if end <= self._newest - self._retention:
                return False
            if self._oldest is not None and end < self._oldest:
                self._oldest = end
        self._table.put((key, start, end), value)
        return True

    def find_sessions(self, key: K, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, V]]:
        if key is None:
            raise null_key(self.name)
        row = self._key_row(key)
        found = self._table.scan(row + time_bytes(earliest_end), row + AFTER_LAST * (TIME_BYTES + 1))
        return [(*entry.key[1:], entry.value) for entry in found if entry.key[1] <= latest_start]

    def fetch_all(self) -> Sequence[tuple[K, int, int, V]]:
        return [(*entry.key, entry.value) for entry in self._ordered()]

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange(entry.key, entry.value) for entry in self._ordered())

    def _ordered(self) -> Iterator[Entry]:
        """Yield the sessions by key, start and end; the rows of a key are sorted by end."""
        for _, sessions in groupby(self._table.scan_all(), lambda entry: entry.row[: -2 * TIME_BYTES]):
            yield from sorted(sessions, key=lambda entry: entry.key[1:])

    def _expire_row(self, row: bytes) -> None:
        end, key, start = row[:TIME_BYTES], row[TIME_BYTES:-TIME_BYTES], row[-TIME_BYTES:]
        store_key = self._table.key_at(key + end + start)
        if store_key is not None:
            self._table.put(store_key, None)


def session_row(key_row: RowOf, store_key: tuple[Any, int, int]) -> bytes:
    """Return the row of a session."""
    key, start, end = store_key
    return key_row(key) + time_bytes(end) + time_bytes(start)


def session_index(key_row: RowOf, store_key: tuple[Any, int, int]) -> bytes:
    """Return the row of the index for a session."""
    key, start, end = store_key
    return time_bytes(end) + key_row(key) + time_bytes(start)
