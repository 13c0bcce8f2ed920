"""A versioned key-value store in memory whose changes are added to an undo log."""

from bisect import bisect_left
from functools import partial
from typing import Any

from eddyline.adapters.memory.versioned_store import MemoryVersionedKeyValueStore
from eddyline.application.ports.state_store import StoreChange, UndoLog


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
