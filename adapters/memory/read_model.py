"""The read model in memory: sorted entries, which live as long as the object."""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

from eddyline.application.ports.read_model import ChangelogPart, EntryKey, ReadModel, StateProgress, StoredEntry

_Id: TypeAlias = tuple[bytes, int, int, int]
"""Sort key, times and partition of an entry."""


@dataclass
class _Store:
    changelog_id: str | None = None
    ids: list[_Id] = field(default_factory=list)
    entries: dict[_Id, StoredEntry] = field(default_factory=dict)
    positions: dict[int, int] = field(default_factory=dict)
    progress: dict[int, StateProgress] = field(default_factory=dict)
    size_bytes: int = 0

    def put(self, entry_id: _Id, entry: StoredEntry | None) -> None:
        previous = self.entries.pop(entry_id, None)
        if previous is not None:
            self.size_bytes -= len(previous.key) + len(previous.value)
        if entry is None:
            if previous is not None:
                del self.ids[bisect_left(self.ids, entry_id)]
            return
        if previous is None:
            insort(self.ids, entry_id)
        self.entries[entry_id] = entry
        self.size_bytes += len(entry.key) + len(entry.value)

    def slice(self, first: _Id | tuple[bytes], before: bytes | None) -> list[StoredEntry]:
        start = bisect_left(self.ids, first)
        end = len(self.ids) if before is None else bisect_left(self.ids, (before,))
        return [self.entries[entry_id] for entry_id in self.ids[start:end]]


class MemoryReadModel(ReadModel):
    """The entries of each store in a sorted list, for stores of moderate size."""

    def __init__(self) -> None:
        self._stores: dict[str, _Store] = {}
        self._lock = Lock()

    def apply(self, part: ChangelogPart) -> bool:
        with self._lock:
            store = self._stores.setdefault(part.store, _Store())
            if store.positions.get(part.partition, 0) != part.start:
                return False
            for found_by, key, value in part.changes:
                entry = None if value is None else StoredEntry(part.partition, found_by, key, value)
                store.put((*found_by, part.partition), entry)
            store.positions[part.partition] = part.end
            if part.progress is not None:
                store.progress[part.partition] = part.progress
            return True

    def position(self, store: str, partition: int) -> int:
        with self._lock:
            return self._store(store).positions.get(partition, 0)

    def progress(self, store: str) -> Mapping[int, StateProgress]:
        with self._lock:
            return dict(self._store(store).progress)

    def find(
        self, store: str, sort_key: bytes, times: tuple[int, int], limit: int, *, after: tuple[int, int, int] | None = None
    ) -> Sequence[StoredEntry]:
        first, last = times
        begin = (sort_key,) if after is None else (sort_key, *after[:2], after[2] + 1)
        with self._lock:
            found = self._store(store).slice(begin, sort_key + b"\x00")
        return [entry for entry in found if entry.found_by.start <= last and entry.found_by.end >= first][:limit]

    def scan(
        self, store: str, first: EntryKey, before: bytes | None, limit: int, *, after_partition: int = -1
    ) -> Sequence[StoredEntry]:
        with self._lock:
            return self._store(store).slice((*first, after_partition + 1), before)[:limit]

    def latest(self, store: str, after: bytes, limit: int) -> Sequence[StoredEntry]:
        with self._lock:
            found = self._store(store).slice((after + b"\x00",), None)
        return list({entry.found_by.sort_key: entry for entry in found}.values())[:limit]

    def size(self, store: str) -> tuple[int, int]:
        with self._lock:
            found = self._store(store)
            return len(found.ids), found.size_bytes

    def changelog_id(self, store: str) -> str | None:
        with self._lock:
            return self._store(store).changelog_id

    def clear(self, store: str, changelog_id: str) -> None:
        with self._lock:
            self._stores[store] = _Store(changelog_id)

    def remove(self, store: str, partition: int) -> None:
        with self._lock:
            found = self._store(store)
            for entry_id in [entry_id for entry_id in found.ids if entry_id[-1] == partition]:
                found.put(entry_id, None)
            found.positions.pop(partition, None)
            found.progress.pop(partition, None)

    def _store(self, name: str) -> _Store:
        return self._stores.get(name) or _Store()
