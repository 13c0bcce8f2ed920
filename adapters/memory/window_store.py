"""A window store in nested dicts, with the windows of each start listed for expiry."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import TypeVar

from eddyline.adapters.memory.key_value_store import sorted_by_key
from eddyline.application.ports.state_store import StoreChange, WindowStore

K = TypeVar("K")
V = TypeVar("V")


class MemoryWindowStore(WindowStore[K, V]):
    """Values by key and window start, in memory."""

    def __init__(self, name: str, retention_ms: int) -> None:
        self.name = name
        self._retention = retention_ms
        self._rows: dict[K, dict[int, V]] = {}
        self._changed: dict[tuple[K, int], None] = {}
        self._keys_of: dict[int, list[K]] = {}
        self._starts: list[int] = []
        self._newest = -1
        self._horizon = -1 - retention_ms

    @property
    def newest(self) -> int:
        """The newest window start ever put."""
        return self._newest

    def observe(self, newest: int) -> None:
        """Moves the newest start on and lets go of what is past the retention by it."""
        if newest > self._newest:
            self._newest = newest
            self._horizon = newest - self._retention
            self._expire()

    def put(self, key: K, value: V | None, start: int) -> bool:
        """Sets the value of key and start; None deletes it. False when it is past the retention."""
        rows = self._rows.get(key)
        if rows is not None and value is not None and start in rows:
            rows[start] = value
            self._changed[key, start] = None
            return True
        if start > self._newest:
            self.observe(start)
        elif start <= self._horizon:
            return False
        self._set(key, value, start)
        self._changed[key, start] = None
        return True

    def fetch(self, key: K, start: int) -> V | None:
        """The value of key and start, None where there is none."""
        rows = self._rows.get(key)
        return None if rows is None else rows.get(start)

    def fetch_range(self, key: K, first: int, last: int) -> Sequence[tuple[int, V]]:
        """Starts and values of the key with `first <= start <= last`, in order of time."""
        rows = self._rows.get(key)
        if not rows:
            return []
        return sorted(((start, value) for start, value in rows.items() if first <= start <= last), key=_start_of)

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[K, int, V]]:
        """Keys, starts and values with `first <= start <= last`, in order of the key, then of time."""
        return [
            (key, start, self._rows[key][start])
            for key in sorted_by_key(self._rows)
            for start in sorted(self._rows[key])
            if first <= start <= last
        ]

    def drain_changes(self) -> Sequence[StoreChange]:
        """The entries that changed or expired since the last call."""
        changes = [StoreChange(place, self.fetch(*place)) for place in self._changed]
        self._changed.clear()
        return changes

    def restore(self, changes: Iterable[StoreChange]) -> None:
        """Puts entries back; these do not count as changes."""
        for (key, start), value in changes:
            self._set(key, value, start)

    def snapshot(self) -> Iterator[StoreChange]:
        """All entries, in order of key and start."""
        return (
            StoreChange((key, start), self._rows[key][start])
            for key in sorted_by_key(self._rows)
            for start in sorted(self._rows[key])
        )

    def _set(self, key: K, value: V | None, start: int) -> None:
        rows = self._rows.get(key)
        if value is None:
            if rows is not None:
                rows.pop(start, None)
                if not rows:
                    del self._rows[key]
            return
        if rows is None:
            rows = self._rows[key] = {}
        if start not in rows:
            keys = self._keys_of.get(start)
            if keys is None:
                keys = self._keys_of[start] = []
                heappush(self._starts, start)
            keys.append(key)
        rows[start] = value

    def _expire(self) -> None:
        while self._starts and self._starts[0] <= self._horizon:
            start = heappop(self._starts)
            for key in self._keys_of.pop(start):
                rows = self._rows.get(key)
                if rows is not None and rows.pop(start, None) is not None:
                    self._changed[key, start] = None
                    if not rows:
                        del self._rows[key]


def _start_of(row: tuple[int, V]) -> int:
    return row[0]
