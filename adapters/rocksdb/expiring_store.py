"""The window store and the session store in a database, and what they share: an index of their rows by the time of expiry."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, TypeVar

from eddyline.adapters.rocksdb.rows import AFTER_LAST, LATEST, TIME_BYTES, RowOf, time_bytes, time_in
from eddyline.adapters.rocksdb.table import Entry, Table
from eddyline.application.ports.state_store import SessionStore, StoreChange, TimedStore, WindowStore
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class ExpiringStore(TimedStore):
    """A store over a table; `key_row` returns the bytes of a key.

    `_oldest` is a time before which the index has no rows, so that most records need not look into it; None if it is not known.
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
            self._advance(newest)
            self._expire()

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

    @property
    def _horizon(self) -> int:
        """The time up to which entries have expired."""
        return self._newest - self._retention

    @abstractmethod
    def _expire_row(self, row: bytes) -> None:
        """Remove the entry of a row of the index whose time has passed."""

    def _advance(self, newest: int) -> None:
        if self._table.undo is not None:
            self._table.undo.append(partial(self._rewind, self._newest))
        self._newest = newest

    def _rewind(self, newest: int) -> None:
        self._newest, self._oldest = newest, None

    def _expire(self) -> None:
        horizon = self._horizon
        if self._oldest is not None and self._oldest > horizon:
            return
        self._oldest = LATEST
        for row in self._table.by_expiry():
            if time_in(row) > horizon:
                self._oldest = time_in(row)
                return
            self._expire_row(row)


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
