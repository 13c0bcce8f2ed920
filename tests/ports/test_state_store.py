"""The contract of the state stores, tested on every adapter against a plain dictionary."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.ports.state_stores import StateStores
from tests.fixtures.examples import examples
from tests.ports.stores import NewStores

several = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
SESSION = tuple[str, int, int]
KEYS = st.sampled_from(["a", "b", "é", "z", "Ω", "𝄞"])


def test_get_returns_the_value_that_was_put_and_putting_none_deletes_it(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    assert (store.get("a"), store.get("b")) == (1, None)
    store.put("a", None)
    assert (store.get("a"), store.approximate_num_entries()) == (None, 0)


def test_many_values_are_put_in_their_order_and_none_deletes(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    store.put("c", 3)
    store.put_all({"b": 2, "a": None, "c": 4})
    assert list(store.range()) == [("b", 2), ("c", 4)]
    store.put_all({"d": 5, "b": 6})
    assert list(store.range()) == [("b", 6), ("c", 4), ("d", 5)]
    kept = {change.key: change.value for change in store.drain_changes() if change.value is not None}
    assert kept == {"b": 6, "c": 4, "d": 5}


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


@pytest.mark.parametrize("kind", ["window", "session"])
def test_restored_rows_expire_and_are_drained_as_deleted(new_stores: NewStores, kind: str) -> None:
    original, copy = _create(new_stores(), kind), _create(new_stores(), kind)
    _put(original, kind, 7)
    _put(original, kind, 20)
    copy.restore(original.drain_changes())
    copy.observe(original.newest)
    assert copy.newest == original.newest
    copy.observe(original.newest + 26)
    assert [change.key for change in copy.snapshot()] == [change.key for change in original.snapshot()]
    copy.observe(original.newest + 27)
    (expired,) = copy.drain_changes()
    assert (expired.key[:2], expired.value) == (("b", 7), None)
    assert [change.value for change in copy.snapshot()] == [20]


@pytest.mark.parametrize("kind", ["window", "session"])
def test_a_restored_store_refuses_what_the_original_would_refuse(new_stores: NewStores, kind: str) -> None:
    original, copy = _create(new_stores(), kind), _create(new_stores(), kind)
    _put(original, kind, 60)
    copy.observe(original.newest)
    copy.restore(original.drain_changes())
    for number, is_kept in ((20, False), (21, True)):
        for store in (original, copy):
            assert (store.put("z", 1, number) if kind == "window" else store.put("z", number, number + 5, 1)) is is_kept
    assert list(copy.snapshot()) == list(original.snapshot())


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


@pytest.mark.parametrize("kind", ["key_value", "versioned", "window", "session"])
def test_encoded_changes_restore_a_copy_of_the_store_without_decoding_or_with_it(new_stores: NewStores, kind: str) -> None:
    original, copy = _create(new_stores(), kind), _create(new_stores(), kind)
    for numbers in (range(20, 30), range(30, 50, 3)):
        for number in numbers:
            _put(original, kind, number)
        expected = list(original.snapshot())
        encoded = original.drain_encoded()
        changes = original.drain_changes()
        assert (encoded is None) != (changes == [])
        if not copy.restore_encoded(encoded or []):
            key, value = (JsonCodecs().for_state(found) for found in _types(kind))
            decoded = [StoreChange(key.decode(name), value.decode(data)) for name, data in encoded or []]
            copy.restore(decoded or changes)
        assert list(copy.snapshot()) == expected
    assert (copy.drain_changes(), copy.drain_encoded() or []) == ([], [])


def _types(kind: str) -> tuple[object, object]:
    if kind == "key_value":
        return str, int
    if kind == "session":
        return tuple[str, int, int], int
    return tuple[str, int], tuple[int | None] if kind == "versioned" else int


def test_a_deleted_entry_is_drained_with_the_value_none(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    store.delete("a")
    assert store.drain_changes() == [StoreChange("a", None)]


def _create(stores: StateStores, kind: str) -> Any:
    if kind == "key_value":
        return stores.key_value("s", key_type=str, value_type=int)
    if kind == "versioned":
        return stores.versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
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


@dataclass(frozen=True)
class Place:
    """A key that has no order of its own."""

    town: str
    street: str | None


def test_keys_that_have_no_order_of_their_own_are_sorted_field_by_field(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=Place, value_type=int)
    places = [Place("b", "x"), Place("a", "y"), Place("a", "x")]
    for place in places:
        store.put(place, 1)
    assert [change.key for change in store.snapshot()] == [Place("a", "x"), Place("a", "y"), Place("b", "x")]


@pytest.mark.parametrize("kind", ["key-value", "window", "session", "versioned"])
def test_an_entry_without_a_key_is_refused_with_a_fix(new_stores: NewStores, kind: str) -> None:
    stores: Any = new_stores()
    puts = {
        "key-value": lambda: stores.key_value("s", key_type=str, value_type=int).put(None, 1),
        "window": lambda: stores.window("s", key_type=tuple[str, int], value_type=int, retention_ms=10).put(None, 1, 0),
        "session": lambda: stores.session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=10).put(None, 0, 1, 1),
        "versioned": lambda: stores.versioned("s", key_type=tuple[str, int], value_type=tuple[int], history_retention_ms=9).put(
            None, 1, 0
        ),
    }
    with pytest.raises(
        ValueError, match="store 's' takes no entry with the key None; drop records without a key before they reach"
    ):
        puts[kind]()


@pytest.mark.parametrize(
    "read",
    [
        lambda stores: stores.key_value("s", key_type=str, value_type=int).get(None),
        lambda stores: stores.key_value("s", key_type=str, value_type=int).delete(None),
        lambda stores: stores.key_value("s", key_type=str, value_type=int).put_if_absent(None, 1),
        lambda stores: stores.window("s", key_type=tuple[str, int], value_type=int, retention_ms=9).fetch(None, 1),
        lambda stores: stores.window("s", key_type=tuple[str, int], value_type=int, retention_ms=9).fetch_range(None, 1, 2),
        lambda stores: stores.session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=9).find_sessions(
            None, 1, 2
        ),
        lambda stores: stores.versioned("s", key_type=tuple[str, int], value_type=tuple[int], history_retention_ms=9).get(None),
    ],
)
def test_a_store_is_not_read_with_a_null_key_as_in_kafka_streams(
    new_stores: NewStores, read: Callable[[StateStores], Any]
) -> None:
    with pytest.raises(ValueError, match="store 's' takes no entry with the key None"):
        read(new_stores())


def test_a_range_without_bounds_is_no_read_with_a_null_key(new_stores: NewStores) -> None:
    store = new_stores().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    assert list(store.range(None, None)) == [("a", 1)]
