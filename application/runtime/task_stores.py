"""Creates the stores of a task as the topology specifies them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Optional

from eddyline.application.ports.state_store import StateStore, UndoLog
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.undo import undoable
from eddyline.application.topology.immutable import is_immutable, own_copy, with_own_copies
from eddyline.application.topology.stores import StoreKind, StoreSpec

_TAKING: Final = ("put", "put_all", "put_if_absent")
_RETURNING: Final = ("get", "delete", "put_if_absent", "fetch", "fetch_range", "fetch_all", "find_sessions")
_ITERATING: Final = ("range", "prefix_scan")
"""The methods of stores that take values, and those that return some, or an iterator over entries."""


def store_types(spec: StoreSpec) -> tuple[object, object]:
    """Return the types of keys and values as a store has them: with window start, session bounds and timestamp, if any."""
    key, value = spec.key_type, spec.value_type
    if spec.timestamped:
        value = tuple[value, int]  # type: ignore[valid-type] # types are values here
    if spec.kind is StoreKind.WINDOW:
        return tuple[key, int], value  # type: ignore[valid-type]
    if spec.kind is StoreKind.SESSION:
        return tuple[key, int, int], value  # type: ignore[valid-type]
    if spec.kind is StoreKind.VERSIONED:
        return tuple[key, int], tuple[Optional[value]]  # type: ignore[valid-type] # noqa: UP045 - types are values here
    return key, value


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
