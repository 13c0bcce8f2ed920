"""State stores in memory whose changes are added to an undo log."""

from bisect import bisect_left
from collections.abc import Mapping
from functools import partial
from heapq import heappop
from typing import Any

from eddyline.adapters.memory.key_value_store import MemoryKeyValueStore
from eddyline.adapters.memory.session_store import MemorySessionStore
from eddyline.adapters.memory.versioned_store import MemoryVersionedKeyValueStore
from eddyline.adapters.memory.window_store import MemoryWindowStore
from eddyline.application.ports.state_store import KeyValueStore, StoreChange, UndoLog


class UndoableVersionedKeyValueStore(MemoryVersionedKeyValueStore[Any, Any]):
    """A versioned key-value store with an undo log."""

    def __init__(self, name: str, history_retention_ms: int, undo: UndoLog) -> None:
        super().__init__(name, history_retention_ms)
        self._undo = undo

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            self._undo.append(partial(self._rewind, self._newest))
            super().observe(newest)

    def put(self, key: Any, value: Any, timestamp: int) -> bool:
        undo = partial(self._put_back, key, timestamp, self._entry(key, timestamp), self._newest)
        self._undo.add(self.name, StoreChange((key, timestamp), (value,)), undo)
        return super().put(key, value, timestamp)

    def _rewind(self, newest: int) -> None:
        self._newest = newest

    def _put_back(self, key: Any, timestamp: int, entry: tuple[Any] | None, newest: int) -> None:
        self._newest = newest
        if entry is not None:
            self._set(key, timestamp, entry[0])
            return
        super()._remove(key, timestamp)
        self._list_before(key, timestamp)

    def _list_before(self, key: Any, timestamp: int) -> None:
        """List the version before a removed one for expiry again, since the end of its validity is that of the removed one."""
        versions = self._rows.get(key)
        if versions is None:
            return
        index = bisect_left(versions.timestamps, timestamp)
        if index == 0:
            return
        before = versions.timestamps[index - 1]
        if index < len(versions.timestamps):
            self._expire_at(versions.timestamps[index], key, before)
        elif versions.values[index - 1] is None:
            self._expire_at(before, key, before)

    def _remove(self, key: Any, timestamp: int) -> None:
        entry = self._entry(key, timestamp)
        if entry is not None:
            self._undo.append(partial(self._set, key, timestamp, entry[0]))
        super()._remove(key, timestamp)


class UndoableKeyValueStore(MemoryKeyValueStore[Any, Any]):
    """A key-value store with an undo log."""

    def __init__(self, name: str, undo: UndoLog) -> None:
        super().__init__(name)
        self._undo = undo

    def put(self, key: Any, value: Any) -> None:
        if value is not None:
            self._undo.add(self.name, StoreChange(key, value), partial(super().put, key, super().get(key)))
        super().put(key, value)

    def put_all(self, values: Mapping[Any, Any]) -> None:
        KeyValueStore.put_all(self, values)

    def delete(self, key: Any) -> Any:
        value = super().delete(key)
        if value is not None:
            self._undo.append(partial(super().put, key, value))
        return value


class UndoableWindowStore(MemoryWindowStore[Any, Any]):
    """A window store with an undo log."""

    def __init__(self, name: str, retention_ms: int, undo: UndoLog) -> None:
        super().__init__(name, retention_ms)
        self._undo = undo

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            self._undo.append(partial(self._rewind, self._newest, self._horizon))
            super().observe(newest)

    def put(self, key: Any, value: Any, start: int) -> bool:
        self._undo.add(self.name, StoreChange((key, start), value), partial(self._set, key, super().fetch(key, start), start))
        return super().put(key, value, start)

    def _rewind(self, newest: int, horizon: int) -> None:
        self._newest, self._horizon = newest, horizon

    def _expire(self) -> None:
        while self._starts and self._starts[0] <= self._horizon:
            start = heappop(self._starts)
            for key in self._keys_by_start.pop(start):
                value = self._rows.get(key, {}).get(start)
                if value is not None:
                    self._undo.append(partial(self._set, key, value, start))
                    self._changed.note_removed((key, start))
                    self._set(key, None, start)


class UndoableSessionStore(MemorySessionStore[Any, Any]):
    """A session store with an undo log."""

    def __init__(self, name: str, retention_ms: int, undo: UndoLog) -> None:
        super().__init__(name, retention_ms)
        self._undo = undo

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            self._undo.append(partial(self._rewind, self._newest))
            super().observe(newest)

    def put(self, key: Any, start: int, end: int, value: Any) -> bool:
        before = self._rows.get(key, {}).get((start, end))
        self._undo.add(self.name, StoreChange((key, start, end), value), partial(self._set, key, start, end, before))
        return super().put(key, start, end, value)

    def _rewind(self, newest: int) -> None:
        self._newest = newest

    def _expire(self, horizon: int) -> None:
        while self._ends and self._ends[0] <= horizon:
            end = heappop(self._ends)
            for key, start in self._sessions_by_end.pop(end):
                value = self._rows.get(key, {}).get((start, end))
                if value is not None:
                    self._undo.append(partial(self._set, key, start, end, value))
                    self._changed.note_removed((key, start, end))
                    self._set(key, start, end, None)
