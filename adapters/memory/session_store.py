"""A session store in nested dictionaries, with the sessions of each end listed for expiry."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import TypeVar

from eddyline.adapters.memory.changed_keys import ChangedKeys
from eddyline.adapters.memory.key_value_store import sorted_by_key
from eddyline.application.ports.state_store import SessionStore, StoreChange, UndoLog, store_change
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class MemorySessionStore(SessionStore[K, V]):
    """Values by key, session start and session end, in memory; with `undo`, changes are added to it."""

    def __init__(self, name: str, retention_ms: int, undo: UndoLog | None = None) -> None:
        self.name, self._undo = name, undo
        self._retention = retention_ms
        self._rows: dict[K, dict[tuple[int, int], V]] = {}
        self._changed = ChangedKeys[tuple[K, int, int]]()
        self._sessions_by_end: dict[int, list[tuple[K, int]]] = {}
        self._ends: list[int] = []
        self._newest = -1

    @property
    def newest(self) -> int:
        return self._newest

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            if self._undo is not None:
                self._undo.append(partial(self._rewind, self._newest))
            self._newest = newest
            self._expire(newest - self._retention)

    def put(self, key: K, start: int, end: int, value: V | None) -> bool:
        if key is None:
            raise null_key(self.name)
        if value is not None:
            if end > self._newest:
                self.observe(end)
            elif end <= self._newest - self._retention:
                return False
        if self._undo is not None:
            before = self._rows.get(key, {}).get((start, end))
            self._undo.add(self.name, store_change(((key, start, end), value)), partial(self._set, key, start, end, before))
        if value is None:
            self._changed.note_removed((key, start, end))
            self._remove(key, (start, end))
            return True
        self._changed.note_put((key, start, end), replaces=self._add(key, (start, end), value))
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
        return [
            (key, start, end, self._rows[key][start, end])
            for key in sorted_by_key(self._rows)
            for start, end in sorted(self._rows[key])
        ]

    def approximate_num_entries(self) -> int:
        return sum(map(len, self._rows.values()))

    def drain_changes(self) -> Sequence[StoreChange]:
        changes = [StoreChange((key, start, end), self._rows.get(key, {}).get((start, end))) for key, start, end in self._changed]
        self._changed.clear()
        return changes

    def omit_short_lived(self) -> None:
        self._changed.omits_short_lived = True

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for (key, start, end), value in changes:
            self._set(key, start, end, value)

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange((key, start, end), value) for key, start, end, value in self.fetch_all())

    def _set(self, key: K, start: int, end: int, value: V | None) -> None:
        if value is None:
            self._remove(key, (start, end))
        else:
            self._add(key, (start, end), value)

    def _add(self, key: K, session: tuple[int, int], value: V) -> bool:
        """Set a value, and return whether it replaces one."""
        rows = self._rows.get(key)
        if rows is None:
            rows = self._rows[key] = {}
        replaces = session in rows
        if not replaces:
            start, end = session
            sessions = self._sessions_by_end.get(end)
            if sessions is None:
                sessions = self._sessions_by_end[end] = []
                heappush(self._ends, end)
            sessions.append((key, start))
        rows[session] = value
        return replaces

    def _remove(self, key: K, session: tuple[int, int]) -> None:
        rows = self._rows.get(key)
        if rows is not None:
            rows.pop(session, None)
            if not rows:
                del self._rows[key]

    def _rewind(self, newest: int) -> None:
        self._newest = newest

    def _expire(self, horizon: int) -> None:
        while self._ends and self._ends[0] <= horizon:
            end = heappop(self._ends)
            for key, start in self._sessions_by_end.pop(end):
                rows = self._rows.get(key)
                value = None if rows is None else rows.pop((start, end), None)
                if value is not None:
                    self._changed.note_removed((key, start, end))
                    if not rows:
                        del self._rows[key]
                    if self._undo is not None:
                        self._undo.append(partial(self._set, key, start, end, value))
