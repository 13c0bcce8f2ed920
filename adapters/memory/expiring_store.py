"""The window store and the session store in nested dictionaries, and what they share: their entries listed by time of expiry.

Versioned stores have the newest time, by which entries expire, in common with them.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any, Generic, TypeVar

from eddyline.adapters.memory.changed_keys import ChangedKeys
from eddyline.adapters.memory.key_value_store import sorted_by_key
from eddyline.application.ports.state_store import SessionStore, StoreChange, TimedStore, UndoLog, WindowStore, store_change
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")
B = TypeVar("B")


class MemoryTimedStore(TimedStore):
    """The newest time of a store, and the horizon, which is the retention before it; with `undo`, changes are added to it."""

    def __init__(self, name: str, retention_ms: int, undo: UndoLog | None = None) -> None:
        self.name, self._undo = name, undo
        self._retention = retention_ms
        self._set_newest(-1)

    @property
    def newest(self) -> int:
        return self._newest

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            if self._undo is not None:
                self._undo.append(partial(self._set_newest, self._newest))
            self._set_newest(newest)
            self._expire()

    def _set_newest(self, newest: int) -> None:
        self._newest, self._horizon = newest, newest - self._retention

    @abstractmethod
    def _expire(self) -> None:
        """Remove what has expired at the horizon."""


class MemoryExpiringStore(MemoryTimedStore, Generic[K, B, V]):
    """Values by key and bounds, which are a window start or those of a session."""

    def __init__(self, name: str, retention_ms: int, undo: UndoLog | None = None) -> None:
        super().__init__(name, retention_ms, undo)
        self._rows: dict[K, dict[B, V]] = {}
        self._changed = ChangedKeys[Any]()
        self._expiring: dict[int, list[tuple[K, B]]] = {}
        self._times: list[int] = []

    def approximate_num_entries(self) -> int:
        return sum(map(len, self._rows.values()))

    def omit_short_lived(self) -> None:
        self._changed.omits_short_lived = True

    @abstractmethod
    def _time(self, bounds: B) -> int:
        """Return the time by which an entry expires."""

    @abstractmethod
    def _store_key(self, key: K, bounds: B) -> tuple[Any, ...]:
        """Return the store key of an entry."""

    def _entries(self) -> Iterator[tuple[K, B, V]]:
        """Yield all entries, by key and bounds."""
        return ((key, at, self._rows[key][at]) for key in sorted_by_key(self._rows) for at in sorted(self._rows[key]))  # type: ignore[type-var] # times, or pairs of them

    def _change(self, store_key: tuple[Any, ...], key: K, bounds: B, value: V | None) -> None:
        """Put or remove an entry as a change."""
        if self._undo is not None:
            before = self._rows.get(key, {}).get(bounds)
            self._undo.add(self.name, store_change((store_key, value)), partial(self._set, key, bounds, before))
        if value is None:
            self._set(key, bounds, None)
            self._changed.note_removed(store_key)
        else:
            self._changed.note_put(store_key, replaces=self._add(key, bounds, value))

    def _set(self, key: K, bounds: B, value: V | None) -> None:
        if value is not None:
            self._add(key, bounds, value)
            return
        rows = self._rows.get(key)
        if rows is not None:
            rows.pop(bounds, None)
            if not rows:
                del self._rows[key]

    def _add(self, key: K, bounds: B, value: V) -> bool:
        """Set a value, and return whether it replaces one."""
        rows = self._rows.get(key)
        if rows is None:
            rows = self._rows[key] = {}
        replaces = bounds in rows
        if not replaces:
            time = self._time(bounds)
            entries = self._expiring.get(time)
            if entries is None:
                entries = self._expiring[time] = []
                heappush(self._times, time)
            entries.append((key, bounds))
        rows[bounds] = value
        return replaces

    def _expire(self) -> None:
        all_rows, note_removed, undo = self._rows, self._changed.note_removed, self._undo
        while self._times and self._times[0] <= self._horizon:
            for key, bounds in self._expiring.pop(heappop(self._times)):
                rows = all_rows.get(key)
                value = None if rows is None else rows.pop(bounds, None)
                if value is not None:
                    note_removed(self._store_key(key, bounds))
                    if not rows:
                        del all_rows[key]
                    if undo is not None:
                        undo.append(partial(self._set, key, bounds, value))


class MemoryWindowStore(MemoryExpiringStore[K, int, V], WindowStore[K, V]):
    """Values by key and window start."""

    def put(self, key: K, value: V | None, start: int) -> bool:
        if key is None:
            raise null_key(self.name)
        if start > self._newest:
            self.observe(start)
        elif start <= self._horizon:
            return False
        self._change((key, start), key, start, value)
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
        return [entry for entry in self._entries() if first <= entry[1] <= last]

    def drain_changes(self) -> Sequence[StoreChange]:
        rows, none = self._rows, dict[int, V]()
        changes = [store_change((entry, rows.get(entry[0], none).get(entry[1]))) for entry in self._changed]
        self._changed.clear()
        return changes

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for (key, start), value in changes:
            self._set(key, start, value)

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange((key, start), value) for key, start, value in self._entries())

    def _time(self, bounds: int) -> int:
        return bounds

    def _store_key(self, key: K, bounds: int) -> tuple[K, int]:
        return key, bounds


_start_of: Callable[[tuple[int, Any]], int] = itemgetter(0)


class MemorySessionStore(MemoryExpiringStore[K, tuple[int, int], V], SessionStore[K, V]):
    """Values by key, session start and session end."""

    def put(self, key: K, start: int, end: int, value: V | None) -> bool:
        if key is None:
            raise null_key(self.name)
        if value is not None:
            if end > self._newest:
                self.observe(end)
            elif end <= self._horizon:
                return False
        self._change((key, start, end), key, (start, end), value)
        return True

    def find_sessions(self, key: K, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, V]]:
        rows = self._rows.get(key)
        if not rows:
            if key is None:
                raise null_key(self.name)
            return []
        found = [(start, end, value) for (start, end), value in rows.items() if end >= earliest_end and start <= latest_start]
        if len(found) > 1:
            found.sort(key=lambda row: (row[1], row[0]))
        return found

    def fetch_all(self) -> Sequence[tuple[K, int, int, V]]:
        return [(key, start, end, value) for key, (start, end), value in self._entries()]

    def drain_changes(self) -> Sequence[StoreChange]:
        changes = [StoreChange((key, start, end), self._rows.get(key, {}).get((start, end))) for key, start, end in self._changed]
        self._changed.clear()
        return changes

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for (key, start, end), value in changes:
            self._set(key, (start, end), value)

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange((key, start, end), value) for key, start, end, value in self.fetch_all())

    def _time(self, bounds: tuple[int, int]) -> int:
        return bounds[1]

    def _store_key(self, key: K, bounds: tuple[int, int]) -> tuple[K, int, int]:
        return (key, *bounds)
