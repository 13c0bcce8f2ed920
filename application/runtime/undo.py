"""Undoes the changes of a record: dictionaries and stores whose changes are written to an undo log."""

# ruff: noqa: D102 - the methods of a store are described by its port

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from eddyline.application.ports.state_store import KeyValueStore, StateStore, StoreChange, UndoLog


class UndoableDict(dict[Any, Any]):
    """A dictionary whose assignments can be undone; `clear` cannot."""

    def __init__(self, undo: UndoLog) -> None:
        super().__init__()
        self._undo = undo

    def __setitem__(self, key: Any, value: Any) -> None:
        if key in self:
            self._undo.append(partial(super().__setitem__, key, self[key]))
        else:
            self._undo.append(partial(self.pop, key, None))
        super().__setitem__(key, value)


class UndoableKeyValueStore(KeyValueStore[Any, Any]):
    """A custom key-value store with an undo log."""

    def __init__(self, store: KeyValueStore[Any, Any], undo: UndoLog) -> None:
        self.name, self._store, self._undo = store.name, store, undo

    def get(self, key: Any) -> Any:
        return self._store.get(key)

    def put(self, key: Any, value: Any) -> None:
        self._undo.add(self.name, StoreChange(key, value), partial(self._store.put, key, self._store.get(key)))
        self._store.put(key, value)

    def delete(self, key: Any) -> Any:
        self._undo.append(partial(self._store.put, key, self._store.get(key)))
        return self._store.delete(key)

    def put_if_absent(self, key: Any, value: Any) -> Any:
        present = self._store.get(key)
        if present is None:
            self.put(key, value)
        return present

    def range(self, first: Any = None, last: Any = None, *, reverse: bool = False) -> Iterator[tuple[Any, Any]]:
        return self._store.range(first, last, reverse=reverse)

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
        return self._store.prefix_scan(prefix)

    def approximate_num_entries(self) -> int:
        return self._store.approximate_num_entries()

    def drain_changes(self) -> Sequence[StoreChange]:
        return self._store.drain_changes()

    def restore(self, changes: Iterable[StoreChange]) -> None:
        self._store.restore(changes)

    def snapshot(self) -> Iterator[StoreChange]:
        return self._store.snapshot()

    def close(self) -> None:
        self._store.close()


def undoable(store: StateStore, undo: UndoLog) -> StateStore:
    """Return a custom store with an undo log.

    Raises:
        TypeError: it is not a key-value store.
    """
    if isinstance(store, KeyValueStore):
        return UndoableKeyValueStore(store, undo)
    msg = (
        f"the changes of the custom store '{store.name}' cannot be undone, since it is not a KeyValueStore; set "
        "processing.exception.handler and production.exception.handler to 'fail', or derive it from KeyValueStore"
    )
    raise TypeError(msg)
