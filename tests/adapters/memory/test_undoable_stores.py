"""What a record has changed in a store of any kind is undone, expired entries and stream time among it."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import StateStore, StoreChange, UndoLog
from eddyline.application.ports.state_stores import StateStores

New: TypeAlias = Callable[[StateStores], StateStore]
Put: TypeAlias = tuple[str, int | None, int]
"""Key, value and timestamp of a version."""

NEW: dict[str, New] = {
    "key-value": lambda stores: stores.key_value("rows", key_type=str, value_type=int),
    "window": lambda stores: stores.window("rows", key_type=tuple[str, int], value_type=int, retention_ms=10),
    "session": lambda stores: stores.session("rows", key_type=tuple[str, int, int], value_type=int, retention_ms=10),
    "versioned": lambda stores: stores.versioned("rows", key_type=tuple[str, int], value_type=int, history_retention_ms=10),
}


@pytest.fixture
def log() -> UndoLog:
    return UndoLog()


@pytest.fixture
def stores(log: UndoLog) -> StateStores:
    return MemoryStateStores().undoable(log)


def undo(log: UndoLog) -> None:
    for change in reversed(log):
        change()
    log.clear()


@pytest.mark.parametrize("kind", NEW)
def test_a_store_has_its_name_with_and_without_an_undo_log(kind: str, stores: StateStores) -> None:
    assert [NEW[kind](creator).name for creator in (stores, MemoryStateStores())] == ["rows", "rows"]


def put(store: Any, kind: str, value: Any, time: int) -> None:
    if kind == "key-value":
        store.put("a", value)
    elif kind == "session":
        store.put("a", time - 2, time, value)
    else:
        store.put("a", value, time)


CHANGED: dict[str, Any] = {
    "key-value": StoreChange("a", 7),
    "window": StoreChange(("a", 5), 7),
    "session": StoreChange(("a", 3, 5), 7),
    "versioned": StoreChange(("a", 5), (7,)),
}


@pytest.mark.parametrize("kind", NEW)
def test_what_is_put_is_listed_to_be_checked(kind: str, stores: StateStores, log: UndoLog) -> None:
    put(NEW[kind](stores), kind, 7, 5)
    assert log.changes == [("rows", CHANGED[kind])]


@pytest.mark.parametrize("kind", NEW)
def test_what_is_put_is_undone(kind: str, stores: StateStores, log: UndoLog) -> None:
    store = NEW[kind](stores)
    put(store, kind, 1, 5)
    log.clear()
    put(store, kind, 2, 5)
    put(store, kind, 3, 9)
    undo(log)
    assert list(store.snapshot()) == [StoreChange(CHANGED[kind].key, (1,) if kind == "versioned" else 1)]


def test_many_values_that_were_put_are_listed_and_undone(stores: StateStores, log: UndoLog) -> None:
    store = stores.key_value("rows", key_type=str, value_type=int)
    store.put("a", 1)
    log.clear()
    store.put_all({"a": 2, "b": 3})
    assert log.changes[-2:] == [("rows", StoreChange("a", 2)), ("rows", StoreChange("b", 3))]
    undo(log)
    assert list(store.snapshot()) == [StoreChange("a", 1)]


@pytest.mark.parametrize("kind", ["window", "session"])
def test_what_expires_is_drained_as_deleted_and_put_back_when_it_is_undone(kind: str, stores: StateStores, log: UndoLog) -> None:
    store: Any = NEW[kind](stores)
    put(store, kind, 1, 5)
    store.drain_changes()
    log.clear()
    newest = store.newest
    store.observe(100)
    assert list(store.snapshot()) == []
    assert list(store.drain_changes()) == [StoreChange(CHANGED[kind].key, None)]
    undo(log)
    assert store.newest == newest
    assert list(store.snapshot()) == [StoreChange(CHANGED[kind].key, 1)]
    store.observe(101)
    assert list(store.snapshot()) == [], "it expires again"


@pytest.mark.parametrize("kind", NEW)
def test_observing_the_same_time_changes_nothing(kind: str, stores: StateStores, log: UndoLog) -> None:
    store: Any = NEW[kind](stores)
    if kind == "key-value":
        return
    store.observe(100)
    log.clear()
    store.observe(100)
    assert log == []


def keys_after(stores: StateStores, log: UndoLog, versions: Sequence[Put], undone: Put, *later: Put) -> list[list[Any]]:
    """Return the keys of a versioned store when one version was put and undone, and after each of the later ones."""
    store: Any = NEW["versioned"](stores)
    for version in versions:
        store.put(*version)
    log.clear()
    store.put(*undone)
    undo(log)
    found = [[change.key for change in store.snapshot()]]
    for version in later:
        store.put(*version)
        found.append([change.key for change in store.snapshot()])
    return found


def test_of_the_versions_before_a_removed_one_the_last_expires_at_its_new_end(stores: StateStores, log: UndoLog) -> None:
    versions = [("a", timestamp, timestamp) for timestamp in (10, 20, 40)]
    assert keys_after(stores, log, versions, ("a", 30, 30), ("b", 0, 49), ("b", 0, 50)) == [
        [("a", 20), ("a", 40)],
        [("a", 20), ("a", 40), ("b", 49)],
        [("a", 40), ("b", 49), ("b", 50)],
    ]


def test_of_the_deletions_before_a_removed_version_the_last_expires(stores: StateStores, log: UndoLog) -> None:
    versions = [("a", 1, 10), ("a", None, 12)]
    assert keys_after(stores, log, versions, ("a", 2, 14), ("b", 0, 21), ("b", 0, 22)) == [
        [("a", 10), ("a", 12)],
        [("a", 10), ("a", 12), ("b", 21)],
        [("b", 21), ("b", 22)],
    ]


def test_a_deletion_whose_time_has_passed_meanwhile_expires_after_a_version_was_removed(
    stores: StateStores, log: UndoLog
) -> None:
    assert keys_after(stores, log, [("b", 1, 0), ("b", None, 1)], ("b", None, 11), ("a", 1, 11)) == [
        [("b", 0), ("b", 1)],
        [("a", 11)],
    ]


def test_the_order_of_a_range_is_that_of_the_store(stores: StateStores) -> None:
    store: Any = NEW["key-value"](stores)
    for key in "bac":
        store.put(key, 1)
    assert [key for key, _ in store.range()] == ["a", "b", "c"]
    assert [key for key, _ in store.range(reverse=True)] == ["c", "b", "a"]


@pytest.mark.parametrize("kind", ["window", "session"])
def test_what_was_deleted_before_it_expires_is_not_put_back(kind: str, stores: StateStores, log: UndoLog) -> None:
    store: Any = NEW[kind](stores)
    put(store, kind, 1, 5)
    put(store, kind, None, 5)
    log.clear()
    store.observe(100)
    undo(log)
    assert list(store.snapshot()) == []


def test_windows_may_begin_before_the_epoch() -> None:
    for start, is_kept in ((-1, True), (-10, True), (-11, False)):
        store: Any = NEW["window"](MemoryStateStores())
        assert store.put("a", 1, start) is is_kept
