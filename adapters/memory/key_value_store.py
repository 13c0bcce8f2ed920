"""A key-value store in a dictionary."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from operator import is_
from typing import Any, Final, Generic, TypeVar, cast

from eddyline.adapters.memory.changed_keys import ChangedKeys
from eddyline.application.ports.key_order import key_order
from eddyline.application.ports.state_store import KeyValueStore, StoreChange, UndoLog, store_change
from eddyline.application.ports.store_values import null_key

K = TypeVar("K")
V = TypeVar("V")

_FEW: Final = 8
"""With more changes than one in so many keys, sorting all keys takes less time than finding the place of each."""


class MemoryKeyValueStore(KeyValueStore[K, V]):
    """Values by key in memory. The keys are sorted at the first range query, and again at each one after changes.

    Entries that are put stay in a dictionary of their own until their changes are drained: of many keys, those that have
    changed are few enough for the caches of the processor. With `undo`, changes are added to it.
    """

    def __init__(self, name: str, undo: UndoLog | None = None) -> None:
        self.name, self._undo = name, undo
        self._rows: dict[K, V] = {}
        self._new = _NewRows(self._rows, name)
        self._changed = ChangedKeys[K]()
        self._ordered: _SortedKeys[K] | None = None
        if type(self).get is MemoryKeyValueStore.get:  # a subclass has not replaced it
            self.get = self._new.__getitem__  # type: ignore[method-assign,assignment] # no call in Python for each record

    def get(self, key: K) -> V | None:
        return self._new[key]

    def put(self, key: K, value: V | None) -> None:
        if value is None:
            self.delete(key)
            return
        if key is None:
            raise null_key(self.name)
        if self._undo is not None:
            self._undo.add(self.name, store_change((key, value)), partial(self.put, key, self._new[key]))
        if self._ordered is not None and key not in self._rows:
            self._ordered.note(key)
        self._new[key] = value

    def put_all(self, values: Mapping[K, V | None]) -> None:
        if self._ordered is not None or None in values or any(map(is_, values.values(), repeat(None))):
            super().put_all(values)
            return
        if self._undo is not None:
            before = dict(zip(values, map(self._new.__getitem__, values), strict=True))
            self._undo.add_all(self.name, map(store_change, values.items()), partial(self.put_all, before))
        self._new.update(cast("Mapping[K, V]", values))

    def delete(self, key: K) -> V | None:
        if key is None:
            raise null_key(self.name)
        new, stored = self._new.pop(key, None), self._rows.pop(key, None)
        value = stored if new is None else new
        if value is not None:
            if self._ordered is not None:
                self._ordered.note(key)
            if new is not None:
                self._changed.note_put(key, replaces=stored is not None)
            self._changed.note_removed(key)
            if self._undo is not None:
                self._undo.append(partial(self.put, key, value))
        return value

    def put_if_absent(self, key: K, value: V) -> V | None:
        present = self.get(key)
        if present is None:
            self.put(key, value)
        return present

    def range(self, first: K | None = None, last: K | None = None, *, reverse: bool = False) -> Iterator[tuple[K, V]]:
        return self._entries(self._sorted.between(first, last), reverse=reverse)

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[K, V]]:
        return self._entries(self._sorted.beginning_with(prefix))

    def approximate_num_entries(self) -> int:
        self._settle()
        return len(self._rows)

    def drain_changes(self) -> Sequence[StoreChange]:
        if self._changed:
            self._settle()
            rows = self._rows
            changes = [store_change((key, rows.get(key))) for key in self._changed]
            self._changed.clear()
            return changes
        changes = list(map(store_change, self._new.items()))
        self._rows.update(self._new)
        self._new.clear()
        return changes

    def omit_short_lived(self) -> None:
        self._changed.omits_short_lived = True

    def restore(self, changes: Iterable[StoreChange]) -> None:
        self._settle()
        for key, value in changes:
            if value is None:
                self._rows.pop(key, None)
            else:
                self._rows[key] = value
        self._ordered = None

    def snapshot(self) -> Iterator[StoreChange]:
        return (StoreChange(key, value) for key, value in self.range())

    def _settle(self) -> None:
        """Put new entries among the others, and note that they have changed."""
        rows, note_put = self._rows, self._changed.note_put
        for key in self._new:
            note_put(key, replaces=key in rows)
        rows.update(self._new)
        self._new.clear()

    @property
    def _sorted(self) -> "_SortedKeys[K]":
        self._settle()
        if self._ordered is None:
            self._ordered = _SortedKeys(self._rows)
        return self._ordered

    def _entries(self, keys: list[K], *, reverse: bool = False) -> Iterator[tuple[K, V]]:
        for key in reversed(keys) if reverse else keys:
            value = MemoryKeyValueStore.get(self, key)
            if value is not None:
                yield key, value


class _NewRows(dict[K, V]):
    """Rows that have changed; others are looked up among those that were there before."""

    __slots__ = ("_before", "_store")

    def __init__(self, before: Mapping[K, V], store: str) -> None:
        self._before, self._store = before.get, store

    def __missing__(self, key: K) -> V | None:
        if key is None:
            raise null_key(self._store)
        return self._before(key)


class _SortedKeys(Generic[K]):
    """The keys of rows in store order, with a parallel list of their sort keys.

    Keys that were added and removed are noted, and the lists brought up to date at the next query: after few changes one by one.
    """

    def __init__(self, rows: Mapping[K, Any]) -> None:
        self._rows = rows
        self._changed: dict[K, K] = {}
        self._sort()

    def note(self, key: K) -> None:
        """Note that a key was added or removed."""
        self._changed[key] = key

    def _update(self) -> None:
        if len(self._changed) * _FEW > len(self._keys):
            self._sort()
        else:
            for key in self._changed.values():
                self._update_key(key)
        self._changed.clear()

    def _sort(self) -> None:
        self._keys = sorted_by_key(self._rows)
        self._sort_keys = [key_order(key) for key in self._keys]

    def _update_key(self, key: K) -> None:
        sort_key, exists = key_order(key), key in self._rows
        index = bisect_left(self._sort_keys, sort_key)
        if index < len(self._keys) and self._sort_keys[index] == sort_key:
            if exists:
                self._keys[index] = key
            else:
                del self._sort_keys[index], self._keys[index]
        elif exists:
            self._sort_keys.insert(index, sort_key)
            self._keys.insert(index, key)

    def between(self, first: K | None, last: K | None) -> list[K]:
        """Return the keys from `first` to `last`; None leaves that side unbounded."""
        self._update()
        begin = 0 if first is None else bisect_left(self._sort_keys, key_order(first))
        end = len(self._keys) if last is None else bisect_right(self._sort_keys, key_order(last))
        return self._keys[begin:end]

    def beginning_with(self, prefix: tuple[Any, ...]) -> list[K]:
        """Return the keys that are tuples beginning with `prefix`."""
        self._update()
        sort_key, length = key_order(prefix), len(prefix)
        begin = bisect_left(self._sort_keys, sort_key)
        end = bisect_right(self._sort_keys, sort_key, lo=begin, key=lambda other: other[:length])
        return self._keys[begin:end]


def sorted_by_key(keys: Iterable[Any]) -> list[Any]:
    """Return the keys in store order."""
    return sorted(keys, key=key_order)
