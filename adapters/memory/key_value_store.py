"""A key-value store in a dict."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from adapters.memory.ordering import key_order
from application.ports.state_store import KeyValueStore, StoreChange

K = TypeVar("K")
V = TypeVar("V")


class MemoryKeyValueStore(KeyValueStore[K, V]):
    """Values by key in memory; the sorted order is made when it is asked for, and kept until a key comes or goes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows: dict[K, V] = {}
        self._changed: dict[K, None] = {}
        self._ordered: list[K] | None = []

    def get(self, key: K) -> V | None:
        """The value of the key, None where there is none."""
        return self._rows.get(key)

    def put(self, key: K, value: V | None) -> None:
        """Sets the value of the key; None deletes it."""
        if value is None:
            self.delete(key)
            return
        if key not in self._rows:
            self._ordered = None
        self._rows[key] = value
        self._changed[key] = None

    def delete(self, key: K) -> V | None:
        """Deletes the key and gives the value that it had."""
        value = self._rows.pop(key, None)
        if value is not None:
            self._ordered = None
            self._changed[key] = None
        return value

    def put_if_absent(self, key: K, value: V) -> V | None:
        """Sets the value where there is none; gives the value that was there before."""
        present = self._rows.get(key)
        if present is None:
            self.put(key, value)
        return present

    def range(self, first: K | None = None, last: K | None = None, *, reverse: bool = False) -> Iterator[tuple[K, V]]:
        """The entries with `first <= key <= last`, as they were when the iteration began."""
        if self._ordered is None:
            self._ordered = sorted(self._rows, key=key_order)
        low = None if first is None else key_order(first)
        high = None if last is None else key_order(last)
        chosen = [
            (key, self._rows[key])
            for key in self._ordered
            if (low is None or key_order(key) >= low) and (high is None or key_order(key) <= high)
        ]
        return reversed(chosen) if reverse else iter(chosen)

    def approximate_num_entries(self) -> int:
        """How many entries there are, exactly."""
        return len(self._rows)

    def drain_changes(self) -> Sequence[StoreChange]:
        """The entries that changed since the last call."""
        rows = self._rows
        changes = [StoreChange(key, rows.get(key)) for key in self._changed]
        self._changed.clear()
        return changes

    def restore(self, changes: Iterable[StoreChange]) -> None:
        """Puts entries back; these do not count as changes."""
        for key, value in changes:
            if value is None:
                self._rows.pop(key, None)
            else:
                self._rows[key] = value
        self._ordered = None

    def snapshot(self) -> Iterator[StoreChange]:
        """All entries, in order."""
        return (StoreChange(key, value) for key, value in self.range())


def sorted_by_key(keys: Iterable[Any]) -> list[Any]:
    """Keys in the order of stores."""
    return sorted(keys, key=key_order)
