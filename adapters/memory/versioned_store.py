"""A versioned key-value store in sorted lists, with the versions of each end of validity listed for expiry."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Generic, TypeVar

from eddyline.adapters.memory.expiring_store import MemoryTimedStore
from eddyline.adapters.memory.key_value_store import sorted_by_key
from eddyline.application.ports.state_store import StoreChange, UndoLog, VersionedKeyValueStore, VersionedRecord
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")


class _Versions(Generic[V]):
    """The versions of a key: timestamps in order, and the value of each; None is a deletion."""

    __slots__ = ("timestamps", "values")

    def __init__(self) -> None:
        self.timestamps: list[int] = []
        self.values: list[V | None] = []


class MemoryVersionedKeyValueStore(MemoryTimedStore, VersionedKeyValueStore[K, V]):
    """Versions by key and timestamp, in memory.

    `_expiring` has, by the time at which they stop being valid, the versions that expire when the history no longer reaches
    back to it. A version is listed again when its end changes, and ignored where its end is no longer the listed one.
    """

    def __init__(self, name: str, history_retention_ms: int, undo: UndoLog | None = None) -> None:
        super().__init__(name, history_retention_ms, undo)
        self._rows: dict[K, _Versions[V]] = {}
        self._changed: dict[tuple[K, int], None] = {}
        self._expiring: dict[int, list[tuple[K, int]]] = {}
        self._ends: list[int] = []

    def get(self, key: K, as_of_timestamp: int | None = None) -> VersionedRecord | None:
        versions = self._rows.get(key)
        if versions is None:
            if key is None:
                raise null_key(self.name)
            return None
        timestamps, values = versions.timestamps, versions.values
        if as_of_timestamp is None or timestamps[-1] <= as_of_timestamp:
            return None if values[-1] is None else VersionedRecord(values[-1], timestamps[-1])
        index = bisect_right(timestamps, as_of_timestamp) - 1
        if index < 0 or values[index] is None or as_of_timestamp < self._horizon:
            return None
        return VersionedRecord(values[index], timestamps[index], timestamps[index + 1])

    def put(self, key: K, value: V | None, timestamp: int) -> bool:
        if key is None:
            raise null_key(self.name)
        if timestamp < self._horizon:
            return False
        if self._undo is not None:
            put_back = partial(self._put_back, key, timestamp, self._entry(key, timestamp), self._newest)
            self._undo.add(self.name, StoreChange((key, timestamp), (value,)), put_back)
        self._set_newest(max(self._newest, timestamp))
        self._set(key, timestamp, value)
        self._changed[key, timestamp] = None
        self._expire()
        return True

    def delete(self, key: K, timestamp: int) -> VersionedRecord | None:
        valid = self.get(key, timestamp)
        return valid if self.put(key, None, timestamp) else None

    def is_latest(self, key: K, timestamp: int) -> bool:
        versions = self._rows.get(key)
        return versions is None or versions.timestamps[-1] <= timestamp

    def approximate_num_entries(self) -> int:
        return sum(len(versions.timestamps) for versions in self._rows.values())

    def drain_changes(self) -> Sequence[StoreChange]:
        changes = [StoreChange((key, timestamp), self._entry(key, timestamp)) for key, timestamp in self._changed]
        self._changed.clear()
        return changes

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for (key, timestamp), entry in changes:
            if entry is None:
                self._remove(key, timestamp)
            else:
                self._set(key, timestamp, entry[0])

    def snapshot(self) -> Iterator[StoreChange]:
        return (
            StoreChange((key, timestamp), (value,))
            for key in sorted_by_key(self._rows)
            for timestamp, value in zip(self._rows[key].timestamps, self._rows[key].values, strict=True)
        )

    def _entry(self, key: K, timestamp: int) -> tuple[V | None] | None:
        index = self._index(key, timestamp)
        return None if index is None else (self._rows[key].values[index],)

    def _index(self, key: K, timestamp: int) -> int | None:
        versions = self._rows.get(key)
        if versions is None:
            return None
        index = bisect_left(versions.timestamps, timestamp)
        return index if index < len(versions.timestamps) and versions.timestamps[index] == timestamp else None

    def _set(self, key: K, timestamp: int, value: V | None) -> None:
        versions = self._rows.get(key)
        if versions is None:
            versions = self._rows[key] = _Versions()
        timestamps, values = versions.timestamps, versions.values
        index = bisect_left(timestamps, timestamp)
        last = index == len(timestamps)
        if not last and timestamps[index] == timestamp:
            values[index] = value
            last = index == len(timestamps) - 1
        else:
            if index > 0:
                self._expire_at(timestamp, key, timestamps[index - 1])
            if not last:
                self._expire_at(timestamps[index], key, timestamp)
            timestamps.insert(index, timestamp)
            values.insert(index, value)
        if last and value is None:
            self._expire_at(timestamp, key, timestamp)

    def _remove(self, key: K, timestamp: int) -> None:
        index = self._index(key, timestamp)
        if index is not None:
            versions = self._rows[key]
            del versions.timestamps[index], versions.values[index]
            if not versions.timestamps:
                del self._rows[key]

    def _expire_at(self, end: int, key: K, timestamp: int) -> None:
        versions = self._expiring.get(end)
        if versions is None:
            versions = self._expiring[end] = []
            heappush(self._ends, end)
        versions.append((key, timestamp))

    def _expire(self) -> None:
        """Remove the versions that were not valid at the horizon or later; a deletion is valid at its own timestamp only."""
        horizon = self._horizon
        while self._ends and self._ends[0] <= horizon:
            for key, timestamp in self._expiring.pop(heappop(self._ends)):
                index = self._index(key, timestamp)
                if index is None:
                    continue
                versions = self._rows[key]
                if index + 1 < len(versions.timestamps):
                    expired = versions.timestamps[index + 1] <= horizon
                else:
                    expired = versions.values[index] is None
                if expired:
                    for older, value in list(zip(versions.timestamps, versions.values, strict=True))[: index + 1]:
                        self._remove(key, older)
                        self._changed[key, older] = None
                        if self._undo is not None:
                            self._undo.append(partial(self._set, key, older, value))

    def _put_back(self, key: K, timestamp: int, entry: tuple[V | None] | None, newest: int) -> None:
        self._set_newest(newest)
        if entry is not None:
            self._set(key, timestamp, entry[0])
            return
        self._remove(key, timestamp)
        self._list_before(key, timestamp)

    def _list_before(self, key: K, timestamp: int) -> None:
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
