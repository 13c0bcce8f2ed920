"""The changes of dictionaries and custom stores are undone in the opposite order."""

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import KeyValueStore, StoreChange, UndoLog
from eddyline.application.runtime.task.stores import UndoableDict, undoable


@pytest.fixture
def log() -> UndoLog:
    return UndoLog()


@pytest.fixture
def original() -> KeyValueStore[str, int]:
    store: KeyValueStore[str, int] = MemoryStateStores().key_value("numbers", key_type=str, value_type=int)
    store.put("a", 1)
    return store


@pytest.fixture
def store(original: KeyValueStore[str, int], log: UndoLog) -> KeyValueStore[str, int]:
    found = undoable(original, log)
    assert isinstance(found, KeyValueStore)
    return found


def undo(log: UndoLog) -> None:
    for change in reversed(log):
        change()


def test_the_assignments_of_a_dictionary_are_undone(log: UndoLog) -> None:
    found = UndoableDict(log)
    found["a"] = 1
    del log[:]
    found["a"], found["b"], found["a"] = 2, 3, 4
    assert found == {"a": 4, "b": 3}
    undo(log)
    assert found == {"a": 1}


def test_an_assignment_is_undone_even_if_the_dictionary_was_cleared(log: UndoLog) -> None:
    found = UndoableDict(log)
    found["a"] = 1
    found.clear()
    undo(log)
    assert found == {}


def test_the_changes_of_a_store_are_made_and_undone(
    store: KeyValueStore[str, int], original: KeyValueStore[str, int], log: UndoLog
) -> None:
    store.put("a", 2)
    store.put("b", 3)
    assert store.delete("a") == 2
    assert list(original.range()) == list(store.range()) == [("b", 3)]
    undo(log)
    assert list(original.range()) == [("a", 1)]


def test_many_values_that_were_put_are_listed_and_undone(
    store: KeyValueStore[str, int], original: KeyValueStore[str, int], log: UndoLog
) -> None:
    store.put_all({"b": 3, "a": None})
    assert log.changes == [("numbers", StoreChange("b", 3)), ("numbers", StoreChange("a", None))]
    assert list(original.range()) == [("b", 3)]
    undo(log)
    assert list(original.range()) == [("a", 1)]


def test_what_was_put_is_listed_to_be_checked(store: KeyValueStore[str, int], log: UndoLog) -> None:
    store.put("b", 3)
    assert log.changes == [("numbers", StoreChange("b", 3))]


def test_a_value_is_put_only_if_there_is_none(store: KeyValueStore[str, int], log: UndoLog) -> None:
    assert (store.put_if_absent("a", 9), store.put_if_absent("b", 3)) == (1, None)
    assert (store.get("a"), store.get("b")) == (1, 3)
    undo(log)
    assert (store.get("a"), store.get("b")) == (1, None)


def test_a_store_is_read_as_the_original(store: KeyValueStore[str, int], original: KeyValueStore[str, int]) -> None:
    for number, key in enumerate("bcd", 2):
        store.put(key, number)
    assert store.name == "numbers"
    assert list(store.range("b", "c")) == [("b", 2), ("c", 3)]
    assert list(store.range("b", "c", reverse=True)) == [("c", 3), ("b", 2)]
    assert store.approximate_num_entries() == original.approximate_num_entries() == 4
    assert list(store.snapshot()) == list(original.snapshot())
    assert list(store.drain_changes()) == [StoreChange(key, number) for number, key in enumerate("abcd", 1)]
    store.restore([StoreChange("d", None)])
    assert original.get("d") is None


def test_tuple_keys_are_found_by_their_prefix(log: UndoLog) -> None:
    pairs: KeyValueStore[tuple[str, int], int] = MemoryStateStores().key_value("pairs", key_type=tuple[str, int], value_type=int)
    found = undoable(pairs, log)
    assert isinstance(found, KeyValueStore)
    for key in (("a", 1), ("a", 2), ("b", 1)):
        found.put(key, 0)
    assert [key for key, _ in found.prefix_scan(("a",))] == [("a", 1), ("a", 2)]
