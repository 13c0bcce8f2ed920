"""An entry that was put and removed between two calls of `drain_changes` is no change, if the store omits such entries."""

from typing import Any

import pytest

from eddyline.adapters.memory.expiring_store import MemorySessionStore, MemoryWindowStore
from eddyline.adapters.memory.key_value_store import MemoryKeyValueStore
from eddyline.application.ports.state_store import StoreChange

RETENTION_MS = 10


@pytest.fixture(params=["key-value", "window", "session"])
def store(request: pytest.FixtureRequest) -> Any:
    stores = {
        "key-value": MemoryKeyValueStore[str, str]("s"),
        "window": MemoryWindowStore[str, str]("s", RETENTION_MS),
        "session": MemorySessionStore[str, str]("s", RETENTION_MS),
    }
    return stores[request.param]


def _put(store: Any, value: str | None, *, time: int = 1) -> Any:
    """Put a value at a time, and return the store key."""
    if isinstance(store, MemoryKeyValueStore):
        store.put("k", value)
        return "k"
    if isinstance(store, MemoryWindowStore):
        store.put("k", value, time)
        return "k", time
    store.put("k", time, time, value)
    return "k", time, time


def test_an_entry_that_was_put_and_removed_has_not_changed(store: Any) -> None:
    store.omit_short_lived()
    _put(store, "a")
    _put(store, "b")
    _put(store, None)
    assert store.drain_changes() == []
    key = _put(store, "c")
    assert store.drain_changes() == [StoreChange(key, "c")]


def test_a_store_reports_it_by_default(store: Any) -> None:
    key = _put(store, "a")
    _put(store, None)
    assert store.drain_changes() == [StoreChange(key, None)]


def test_an_entry_that_was_there_before_is_removed(store: Any) -> None:
    store.omit_short_lived()
    key = _put(store, "a")
    assert store.drain_changes() == [StoreChange(key, "a")]
    for value in ("b", None, "c", None):
        _put(store, value)
    assert store.drain_changes() == [StoreChange(key, None)]


def test_a_restored_entry_is_removed(store: Any) -> None:
    store.omit_short_lived()
    key = _put(store, "a")
    store.drain_changes()
    store.restore([StoreChange(key, "z")])
    _put(store, None)
    assert store.drain_changes() == [StoreChange(key, None)]


@pytest.mark.parametrize("store", ["window", "session"], indirect=True)
def test_an_entry_that_expired_has_changed_if_it_was_there_before(store: Any) -> None:
    store.omit_short_lived()
    _put(store, "a")
    second = _put(store, "b", time=1 + RETENTION_MS)
    assert store.drain_changes() == [StoreChange(second, "b")]
    third = _put(store, "c", time=1 + 2 * RETENTION_MS)
    assert sorted(store.drain_changes()) == [StoreChange(second, None), StoreChange(third, "c")]
