"""Creates the stores of a task as the topology specifies them."""

# ruff: noqa: D102 - the methods of a store are described by its port

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from eddyline.application.ports.state_store import KeyValueStore, StateStore, StoreChange, UndoLog
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.topology.immutable import is_immutable, own_copy, with_own_copies
from eddyline.application.topology.stores import StoreKind, StoreSpec

_set_item: Final = dict.__setitem__


class UndoableDict(dict[Any, Any]):
    """A dictionary whose assignments can be undone; `clear` cannot."""

    def __init__(self, undo: UndoLog) -> None:
        super().__init__()
        self._undo = undo

    def __setitem__(self, key: Any, value: Any) -> None:
        if key in self:
            self._undo.append(partial(_set_item, self, key, self[key]))
        else:
            self._undo.append(partial(self.pop, key, None))
        _set_item(self, key, value)


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


_TAKING: Final = ("put", "put_all", "put_if_absent")
_RETURNING: Final = ("get", "delete", "put_if_absent", "fetch", "fetch_range", "fetch_all", "find_sessions")
_ITERATING: Final = ("range", "prefix_scan")
"""The methods of stores that take values, and those that return some, or an iterator over entries."""


def make_store(stores: StateStores, spec: StoreSpec, undo: UndoLog | None = None) -> StateStore:
    """Return a new store; with `undo`, `stores` add their changes to it, and so does a custom store.

    Raises:
        TypeError: the changes of the store cannot be undone.
    """
    if spec.factory is not None:
        store: StateStore = spec.factory()
        return store if undo is None else undoable(store, undo)
    store = _new_store(stores, spec)
    if not is_immutable(spec.value_type, own_lists=spec.internal):
        _isolate(store)
    return store


def _new_store(stores: StateStores, spec: StoreSpec) -> StateStore:
    key_type, value_type = store_types(spec)
    retention_ms = (spec.retention_ms or 0) + spec.kept_longer_ms
    if spec.kind is StoreKind.WINDOW:
        return stores.window(spec.name, key_type=key_type, value_type=value_type, retention_ms=retention_ms)
    if spec.kind is StoreKind.SESSION:
        return stores.session(spec.name, key_type=key_type, value_type=value_type, retention_ms=retention_ms)
    if spec.kind is StoreKind.VERSIONED:
        return stores.versioned(spec.name, key_type=key_type, value_type=value_type, history_retention_ms=spec.retention_ms or 0)
    return stores.key_value(spec.name, key_type=key_type, value_type=value_type)


def entry_count(stores: Iterable[StateStore]) -> int | None:
    """Return the number of entries in stores, None if one of them does not count its own."""
    counts = [store.approximate_num_entries() for store in stores]
    return None if None in counts else sum(count or 0 for count in counts)


def _isolate(store: Any) -> None:
    """Let a store share no value with those who put it there or read it."""
    wrappers = ((_TAKING, with_own_copies), (_RETURNING, _returning_copies), (_ITERATING, _iterating_over_copies))
    for names, wrap in wrappers:
        for name in names:
            if hasattr(store, name):
                setattr(store, name, wrap(getattr(store, name)))


def _returning_copies(method: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments, **options: own_copy(method(*arguments, **options))


def _iterating_over_copies(method: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    return lambda *arguments, **options: map(own_copy, method(*arguments, **options))
