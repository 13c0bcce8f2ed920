"""A window store in nested dictionaries, with the keys of each window start listed for expiry."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any, TypeVar

from eddyline.adapters.memory.changed_keys import ChangedKeys
from eddyline.adapters.memory.key_value_store import sorted_by_key
from eddyline.application.ports.state_store import StoreChange, UndoLog, WindowStore, store_change
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class MemoryWindowStore(WindowStore[K, V]):
    """Values by key and window start, in memory; with `undo`, changes are added to it."""

    def __init__(self, name: str, retention_ms: int, undo: UndoLog | None = None) -> None:
        self.name, self._undo = name, undo
        self._retention = retention_ms
        self._rows: dict[K, dict[int, V]] = {}
        self._changed = ChangedKeys[tuple[K, int]]()
        self._keys_by_start: dict[int, list[K]] = {}
        self._starts: list[int] = []
        self._newest = -1
        self._horizon = -1 - retention_ms

    @property
    def newest(self) -> int:
        return self._newest

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            if self._undo is not None:
                self._undo.append(partial(self._rewind, self._newest))
            self._rewind(newest)
            self._expire()

    def put(self, key: K, value: V | None, start: int) -> bool:
        if key is None:
            raise null_key(self.name)
        if start > self._newest:
            self.observe(start)
        elif start <= self._horizon:
            return False
        if self._undo is not None:
            change = store_change(((key, start), value))
            self._undo.add(self.name, change, partial(self._set, key, MemoryWindowStore.fetch(self, key, start), start))
        if value is None:
            self._remove(key, start)
            self._changed.note_removed((key, start))
        else:
            self._changed.note_put((key, start), replaces=self._add(key, value, start))
        return True

    def fetch(self, key: K, start: int) -> V | None:
        rows = self._rows.get(key)
        if rows is None:
            if key is None:
                raise null_key(self.name)
            return None
        return rows.get(start)

    def put_each(self, keys: Sequence[K], values: Sequence[V | None], start: int) -> None:
        if start > self._horizon:
            super().put_each(keys, values, start)

    def fetch_range(self, key: K, first: int, last: int) -> Sequence[tuple[int, V]]:
        rows = self._rows.get(key)
        if not rows:
            if key is None:
                raise null_key(self.name)
            return []
        found = [row for row in rows.items() if first <= row[0] <= last]
        if len(found) > 1:
            found.sort(key=_start_of)
        return found

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[K, int, V]]:
        return [
            (key, start, self._rows[key][start])
            for key in sorted_by_key(self._rows)
            for start in sorted(self._rows[key])
            if first <= start <= last
        ]

    def approximate_num_entries(self) -> int:
        return sum(map(len, self._rows.values()))

    def drain_changes(self) -> Sequence[StoreChange]:
        rows, none = self._rows, dict[int, V]()
        changes = [store_change((entry, rows.get(entry[0], none).get(entry[1]))) for entry in self._changed]
        self._changed.clear()
        return changes

    def omit_short_lived(self) -> None:
        self._changed.omits_short_lived = True

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for (key, start), value in changes:
            self._set(key, value, start)

    def snapshot(self) -> Iterator[StoreChange]:
        return (
            StoreChange((key, start), self._rows[key][start])
            for key in sorted_by_key(self._rows)
            for start in sorted(self._rows[key])
        )

    def _set(self, key: K, value: V | None, start: int) -> None:
        if value is None:
            self._remove(key, start)
        else:
            self._add(key, value, start)

    def _add(self, key: K, value: V, start: int) -> bool:
        """Set a value, and return whether it replaces one."""
        rows = self._rows.get(key)
        if rows is None:
            rows = self._rows[key] = {}
        replaces = start in rows
        if not replaces:
            keys = self._keys_by_start.get(start)
            if keys is None:
                keys = self._keys_by_start[start] = []
                heappush(self._starts, start)
            keys.append(key)
        rows[start] = value
        return replaces

    def _remove(self, key: K, start: int) -> None:
        rows = self._rows.get(key)
        if rows is not None:
            rows.pop(start, None)
            if not rows:
                del self._rows[key]

    def _rewind(self, newest: int) -> None:
        self._newest, self._horizon = newest, newest - self._retention

    def _expire(self) -> None:
        all_rows, note_removed, undo = self._rows, self._changed.note_removed, self._undo
        while self._starts and self._starts[0] <= self._horizon:
            start = heappop(self._starts)
            for key in self._keys_by_start.pop(start):
                rows = all_rows.get(key)
                value = None if rows is None else rows.pop(start, None)
                if value is not None:
                    note_removed((key, start))
                    if not rows:
                        del all_rows[key]
                    if undo is not None:
                        undo.append(partial(self._set, key, value, start))


_start_of: Callable[[tuple[int, Any]], int] = itemgetter(0)
