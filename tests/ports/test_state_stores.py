"""What every adapter of the state stores does, compared with a plain dict."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.state_stores import MemoryStateStores
from eddyline.application.ports.state_store import StateStores, StoreChange

Make = Callable[[], StateStores]


@pytest.fixture(params=[MemoryStateStores])
def make(request: pytest.FixtureRequest) -> Make:
    """Return a function that makes the stores of one adapter, empty every time."""
    adapter: Make = request.param
    return adapter


several = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
KEYS = st.sampled_from(["a", "b", "é", "z", "Ω", "𝄞"])


def test_a_value_is_got_as_it_was_put_and_none_deletes(make: Make) -> None:
    store = make().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    assert (store.get("a"), store.get("b")) == (1, None)
    store.put("a", None)
    assert (store.get("a"), store.approximate_num_entries()) == (None, 0)


def test_delete_gives_what_was_there(make: Make) -> None:
    store = make().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    assert (store.delete("a"), store.delete("a")) == (1, None)


def test_put_if_absent_leaves_what_is_there(make: Make) -> None:
    store = make().key_value("s", key_type=str, value_type=int)
    assert (store.put_if_absent("a", 1), store.put_if_absent("a", 2), store.get("a")) == (None, 1, 1)


@several
@given(entries=st.dictionaries(KEYS, st.integers(), max_size=6), first=st.none() | KEYS, last=st.none() | KEYS)
def test_a_range_is_in_the_order_of_the_utf8_bytes(
    make: Make, entries: dict[str, int], first: str | None, last: str | None
) -> None:
    store = make().key_value("s", key_type=str, value_type=int)
    for key, value in entries.items():
        store.put(key, value)
    expected = [
        (key, entries[key])
        for key in sorted(entries, key=str.encode)
        if (first is None or key.encode() >= first.encode()) and (last is None or key.encode() <= last.encode())
    ]
    assert list(store.range(first, last)) == expected
    assert list(store.range(first, last, reverse=True)) == expected[::-1]


def test_numbers_as_keys_are_in_the_order_of_their_size(make: Make) -> None:
    store = make().key_value("s", key_type=int, value_type=str)
    for key in (5, -3, 100, 0):
        store.put(key, str(key))
    assert [key for key, _ in store.range(-3, 5)] == [-3, 0, 5]


TUPLES = st.tuples(st.sampled_from(["", "a", "a\x00", "ab", "é"]), st.sampled_from([-1, 0, 7, 255, 256]))


@several
@given(entries=st.dictionaries(TUPLES, st.integers(), max_size=8), gone=st.sets(TUPLES, max_size=3), first=TUPLES)
def test_tuples_as_keys_are_in_the_order_of_their_parts_and_found_by_their_beginning(
    make: Make, entries: dict[tuple[str, int], int], gone: set[tuple[str, int]], first: tuple[str, int]
) -> None:
    store = make().key_value("s", key_type=tuple[str, int], value_type=int)
    for number, (key, value) in enumerate(entries.items()):
        store.put(key, value)
        if number == 2:
            assert len(list(store.range())) == 3
    for key in gone:
        store.delete(key)
    kept = sorted((item for item in entries.items() if item[0] not in gone), key=lambda item: (item[0][0].encode(), item[0][1]))
    assert list(store.range()) == kept
    assert list(store.range(first)) == [item for item in kept if item[0] >= first]
    assert list(store.prefix_scan(first[:1])) == [item for item in kept if item[0][0] == first[0]]


@several
@given(puts=st.lists(st.tuples(KEYS, st.integers(0, 100), st.none() | st.integers(0, 9)), max_size=30))
def test_windows_leave_when_the_retention_has_passed_by_the_newest_start(
    make: Make, puts: list[tuple[str, int, int | None]]
) -> None:
    store = make().window("s", key_type=tuple[str, int], value_type=int, retention_ms=40)
    model: dict[tuple[str, int], int | None] = {}
    newest = -1
    for key, start, value in puts:
        newest = max(newest, start)
        assert store.put(key, value, start) == (start > newest - 40)
        model[key, start] = value
        model = {place: kept for place, kept in model.items() if place[1] > newest - 40 and kept is not None}
    assert store.newest == newest
    ordered = sorted(model, key=lambda place: (place[0].encode(), place[1]))
    assert store.fetch_all(0, 100) == [(key, start, model[key, start]) for key, start in ordered]
    assert store.fetch_range("a", 10, 90) == [
        (start, model["a", start]) for key, start in ordered if key == "a" and 10 <= start <= 90
    ]
    assert store.fetch("a", 50) == model.get(("a", 50))


@several
@given(puts=st.lists(st.tuples(KEYS, st.integers(0, 50), st.integers(0, 50), st.integers(0, 9)), max_size=30))
def test_sessions_leave_by_their_end_and_are_found_by_their_bounds(make: Make, puts: list[tuple[str, int, int, int]]) -> None:
    store = make().session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=40)
    model: dict[tuple[str, int, int], int] = {}
    newest = -1
    for key, start, length, value in puts:
        end = start + length
        newest = max(newest, end)
        assert store.put(key, start, end, value) == (end > newest - 40)
        model[key, start, end] = value
        model = {place: kept for place, kept in model.items() if place[2] > newest - 40}
    found = sorted((end, start) for key, start, end in model if key == "a" and end >= 20 and start <= 40)
    assert store.find_sessions("a", 20, 40) == [(start, end, model["a", start, end]) for end, start in found]
    ordered = sorted(model, key=lambda place: (place[0].encode(), *place[1:]))
    assert store.fetch_all() == [(*place, model[place]) for place in ordered]


@pytest.mark.parametrize("kind", ["key_value", "window", "session"])
@several
@given(numbers=st.lists(st.integers(0, 100), max_size=30), cut=st.integers(0, 30))
def test_changes_carry_a_store_elsewhere(make: Make, kind: str, numbers: list[int], cut: int) -> None:
    one, other = _made(make(), kind), _made(make(), kind)
    for half in (numbers[:cut], numbers[cut:]):
        for number in half:
            _put(one, kind, number)
        changes = one.drain_changes()
        assert len({change.key for change in changes}) == len(changes)
        other.restore(changes)
    assert other.drain_changes() == []
    assert list(other.snapshot()) == list(one.snapshot())


def test_an_entry_that_is_gone_is_drained_as_none(make: Make) -> None:
    store = make().key_value("s", key_type=str, value_type=int)
    store.put("a", 1)
    store.delete("a")
    assert store.drain_changes() == [StoreChange("a", None)]


def _made(stores: StateStores, kind: str) -> Any:
    if kind == "key_value":
        return stores.key_value("s", key_type=str, value_type=int)
    place = tuple[str, int] if kind == "window" else tuple[str, int, int]
    return getattr(stores, kind)("s", key_type=place, value_type=int, retention_ms=40)


def _put(store: Any, kind: str, number: int) -> None:
    key = "abc"[number % 3]
    if kind == "key_value":
        store.put(key, number if number % 5 else None)
    elif kind == "window":
        store.put(key, number, number)
    else:
        store.put(key, number, number + 5, number)
