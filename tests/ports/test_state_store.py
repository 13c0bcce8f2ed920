"""The contract of the state stores, tested on every adapter against a plain dictionary."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import StateStores, StoreChange, VersionedRecord

NewStores = Callable[[], StateStores]


@pytest.fixture(params=[MemoryStateStores])
def new_stores(request: pytest.FixtureRequest) -> NewStores:
    """Return a function that creates the stores of one adapter, empty at each call."""
    adapter: NewStores = request.param
    return adapter


several = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
KEYS = st.sampled_from(["a", "b", "é", "z", "Ω", "𝄞"])


def test_get_returns_the_value_that_was_put_and_putting_none_deletes_it(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    assert (store.get("a"), store.get("b")) == (1, None)
    store.put("a", None)
    assert (store.get("a"), store.approximate_num_entries()) == (None, 0)


def test_delete_returns_the_previous_value(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    assert (store.delete("a"), store.delete("a")) == (1, None)


def test_put_if_absent_keeps_an_existing_value(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    assert (store.put_if_absent("a", 1), store.put_if_absent("a", 2), store.get("a")) == (None, 1, 1)


@several
@given(entries=st.dictionaries(KEYS, st.integers(), max_size=6), first=st.none() | KEYS, last=st.none() | KEYS)
def test_a_range_of_text_keys_is_in_utf8_order(
    new_stores: NewStores, entries: dict[str, int], first: str | None, last: str | None
) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    for key, value in entries.items():
        store.put(key, value)
    expected = [
        (key, entries[key])
        for key in sorted(entries, key=str.encode)
        if (first is None or key.encode() >= first.encode()) and (last is None or key.encode() <= last.encode())
    ]
    assert list(store.range(first, last)) == expected
    assert list(store.range(first, last, reverse=True)) == expected[::-1]


def test_a_range_of_number_keys_is_in_numeric_order(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=int, value_type=str)
    for key in (5, -3, 100, 0):
        store.put(key, str(key))
    assert [key for key, _ in store.range(-3, 5)] == [-3, 0, 5]


TUPLES = st.tuples(st.sampled_from(["", "a", "a\x00", "ab", "é"]), st.sampled_from([-1, 0, 7, 255, 256]))


@several
@given(entries=st.dictionaries(TUPLES, st.integers(), max_size=8), deleted=st.sets(TUPLES, max_size=3), first=TUPLES)
def test_tuple_keys_are_ordered_part_by_part_and_found_by_prefix(
    new_stores: NewStores, entries: dict[tuple[str, int], int], deleted: set[tuple[str, int]], first: tuple[str, int]
) -> None:
    store = new_stores().key_value("s", key_type=tuple[str, int], value_type=int)
    for number, (key, value) in enumerate(entries.items()):
        store.put(key, value)
        if number == 2:
            assert len(list(store.range())) == 3
    for key in deleted:
        store.delete(key)
    kept = sorted(
        (item for item in entries.items() if item[0] not in deleted), key=lambda item: (item[0][0].encode(), item[0][1])
    )
    assert list(store.range()) == kept
    assert list(store.range(first)) == [item for item in kept if item[0] >= first]
    assert list(store.prefix_scan(first[:1])) == [item for item in kept if item[0][0] == first[0]]


@several
@given(puts=st.lists(st.tuples(KEYS, st.integers(0, 100), st.none() | st.integers(0, 9)), max_size=30))
def test_windows_expire_when_the_newest_start_is_past_their_retention(
    new_stores: NewStores, puts: list[tuple[str, int, int | None]]
) -> None:
    store = new_stores().window("s", key_type=tuple[str, int], value_type=int, retention_ms=40)
    model: dict[tuple[str, int], int | None] = {}
    newest = -1
    for key, start, value in puts:
        newest = max(newest, start)
        assert store.put(key, value, start) == (start > newest - 40)
        model[key, start] = value
        model = {store_key: kept for store_key, kept in model.items() if store_key[1] > newest - 40 and kept is not None}
    assert store.newest == newest
    ordered = sorted(model, key=lambda store_key: (store_key[0].encode(), store_key[1]))
    assert store.fetch_all(0, 100) == [(key, start, model[key, start]) for key, start in ordered]
    assert store.fetch_range("a", 10, 90) == [
        (start, model["a", start]) for key, start in ordered if key == "a" and 10 <= start <= 90
    ]
    assert store.fetch("a", 50) == model.get(("a", 50))


@several
@given(puts=st.lists(st.tuples(KEYS, st.integers(0, 50), st.integers(0, 50), st.integers(0, 9)), max_size=30))
def test_sessions_expire_by_their_end_and_are_found_by_their_bounds(
    new_stores: NewStores, puts: list[tuple[str, int, int, int]]
) -> None:
    store = new_stores().session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=40)
    model: dict[tuple[str, int, int], int] = {}
    newest = -1
    for key, start, length, value in puts:
        end = start + length
        newest = max(newest, end)
        assert store.put(key, start, end, value) == (end > newest - 40)
        model[key, start, end] = value
        model = {store_key: kept for store_key, kept in model.items() if store_key[2] > newest - 40}
    found = sorted((end, start) for key, start, end in model if key == "a" and end >= 20 and start <= 40)
    assert store.find_sessions("a", 20, 40) == [(start, end, model["a", start, end]) for end, start in found]
    ordered = sorted(model, key=lambda store_key: (store_key[0].encode(), *store_key[1:]))
    assert store.fetch_all() == [(*store_key, model[store_key]) for store_key in ordered]


@several
@given(puts=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 100), st.none() | st.integers(0, 9)), max_size=40))
def test_versions_are_read_as_of_any_time_within_the_history(
    new_stores: NewStores, puts: list[tuple[str, int, int | None]]
) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=int, history_retention_ms=40)
    model: dict[tuple[str, int], int | None] = {}
    newest = -1
    for key, timestamp, value in puts:
        kept = timestamp >= newest - 40
        assert store.put(key, value, timestamp) is kept
        newest = max(newest, timestamp)
        if kept:
            model[key, timestamp] = value
        for read in "ab":
            versions = sorted((time, version) for (owner, time), version in model.items() if owner == read)
            in_history = max(50, newest - 40)
            assert store.is_latest(read, in_history) is (not versions or versions[-1][0] <= in_history)
            assert _value_and_time(store.get(read)) == _valid(versions, 100)
            for time in range(max(0, newest - 40), 101, 5):
                assert _value_and_time(store.get(read, time)) == _valid(versions, time)
    assert store.newest == newest


def test_a_version_is_valid_until_the_next_one_and_the_latest_without_end(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=int, history_retention_ms=100)
    store.put("a", 1, 10)
    store.put("a", 3, 30)
    store.put("a", 2, 20)
    assert store.get("a", 15) == VersionedRecord(1, 10, 20)
    assert store.get("a") == VersionedRecord(3, 30, None)


def test_only_the_latest_version_is_read_where_the_history_has_expired(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=int, history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("b", 1, 10)
    store.put("b", 2, 100)
    assert (store.get("a", 20), store.get("a", 9)) == (VersionedRecord(1, 10), None)
    assert (store.get("b", 59), store.get("b", 60)) == (None, VersionedRecord(1, 10, 100))


def test_deleting_a_version_returns_the_one_that_was_valid(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=int, history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("a", 3, 30)
    assert store.delete("a", 20) == VersionedRecord(1, 10, 30)
    assert (store.get("a", 20), store.get("a", 19)) == (None, VersionedRecord(1, 10, 20))
    store.put("b", 1, 90)
    assert store.delete("a", 49) is None
    assert store.get("a") == VersionedRecord(3, 30)


@pytest.mark.parametrize("kind", ["key_value", "versioned", "window", "session"])
@several
@given(numbers=st.lists(st.integers(0, 100), max_size=30), cut=st.integers(0, 30))
def test_drained_changes_restore_a_copy_of_the_store(new_stores: NewStores, kind: str, numbers: list[int], cut: int) -> None:
    original, copy = _create(new_stores(), kind), _create(new_stores(), kind)
    for half in (numbers[:cut], numbers[cut:]):
        for number in half:
            _put(original, kind, number)
        changes = original.drain_changes()
        assert len({change.key for change in changes}) == len(changes)
        copy.restore(changes)
    assert copy.drain_changes() == []
    assert list(copy.snapshot()) == list(original.snapshot())


def test_a_deleted_entry_is_drained_with_the_value_none(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    store.delete("a")
    assert store.drain_changes() == [StoreChange("a", None)]


def _create(stores: StateStores, kind: str) -> Any:
    if kind == "key_value":
        return stores.key_value("s", key_type=str, value_type=int)
    if kind == "versioned":
        return stores.versioned("s", key_type=tuple[str, int], value_type=int, history_retention_ms=40)
    key_type = tuple[str, int] if kind == "window" else tuple[str, int, int]
    return getattr(stores, kind)("s", key_type=key_type, value_type=int, retention_ms=40)


def _put(store: Any, kind: str, number: int) -> None:
    key = "abc"[number % 3]
    if kind == "key_value":
        store.put(key, number if number % 5 else None)
    elif kind == "versioned":
        store.put(key, number if number % 5 else None, number)
    elif kind == "window":
        store.put(key, number, number)
    else:
        store.put(key, number, number + 5, number)


def _valid(versions: list[tuple[int, int | None]], time: int) -> tuple[int, int] | None:
    """Return value and timestamp of the last version up to a time, None if it is a deletion."""
    valid = [(value, timestamp) for timestamp, value in versions if timestamp <= time]
    return None if not valid or valid[-1][0] is None else (valid[-1][0], valid[-1][1])


def _value_and_time(record: VersionedRecord | None) -> tuple[int, int] | None:
    return None if record is None else (record.value, record.timestamp)
