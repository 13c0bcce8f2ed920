"""A key-value store in a database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from eddyline.adapters.rocksdb.rows import AFTER_LAST
from eddyline.adapters.rocksdb.table import Entry, Table
from eddyline.application.ports.state_store import KeyValueStore, StoreChange
from eddyline.application.ports.store_values import null_key
from eddyline.application.queries.sort_keys import sort_prefix

K = TypeVar("K")
V = TypeVar("V")


class RocksDBKeyValueStore(KeyValueStore[K, V]):
    """Values by key; `row_of` returns the row of a key."""

    def __init__(self, table: Table, row_of: Callable[[Any], bytes]) -> None:
        self.name, self._table, self._row_of = table.name, table, row_of
        self.get = table.get  # type: ignore[method-assign] # the hot path

    def get(self, key: K) -> V | None:
        value: V | None = self._table.get(key)
        return value

    def put(self, key: K, value: V | None) -> None:
        if value is None:
            self.delete(key)
            return
        if key is None:
            raise null_key(self.name)
        self._table.put(key, value)

    def delete(self, key: K) -> V | None:
        if key is None:
            raise null_key(self.name)
        value: V | None = self._table.get(key)
        if value is not None:
            self._table.put(key, None)
        return value

    def put_if_absent(self, key: K, value: V) -> V | None:
        present: V | None = self._table.get(key)
        if present is None:
            self.put(key, value)
        return present

    def range(self, first: K | None = None, last: K | None = None, *, reverse: bool = False) -> Iterator[tuple[K, V]]:
        begin = b"" if first is None else self._row_of(first)
        end = AFTER_LAST if last is None else self._row_of(last) + b"\x00"
        return map(_item, self._table.scan(begin, end, reverse=reverse))

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[K, V]]:
        begin = sort_prefix(prefix)
        return map(_item, self._table.scan(begin, begin + AFTER_LAST))

    def approximate_num_entries(self) -> int:
        return len(self._table)

    def drain_changes(self) -> Sequence[StoreChange]:
        return self._table.drain()

    def drain_encoded(self) -> Sequence[tuple[bytes, bytes | None]]:
        return self._table.drain_encoded()

    def restore(self, changes: Iterable[StoreChange]) -> None:
        self._table.restore(changes)

    def restore_encoded(self, entries: Iterable[tuple[bytes, bytes | None]]) -> bool:
        self._table.restore_encoded(entries)
        return True

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange(key, value) for _, key, value in self._table.scan_all())


def _item(entry: Entry) -> tuple[Any, Any]:
    return entry.key, entry.value
