"""Window and session stores: what expires, and what is refused."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixtures.examples import examples
from tests.ports.stores import NewStores

several = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
KEYS = st.sampled_from(["a", "b", "é", "z", "Ω", "𝄞"])


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
@given(
    puts=st.lists(st.tuples(st.integers(0, 100), st.dictionaries(KEYS, st.none() | st.integers(0, 9), min_size=1)), max_size=12),
    start=st.integers(0, 120),
)
def test_the_windows_of_many_keys_are_put_and_fetched_as_one_by_one(
    new_stores: NewStores, puts: list[tuple[int, dict[str, int | None]]], start: int
) -> None:
    stores = new_stores()
    together, alone = (stores.window(name, key_type=tuple[str, int], value_type=int, retention_ms=40) for name in ("s", "t"))
    for number, (put_start, values) in enumerate(puts):
        together.put_each(list(values), list(values.values()), put_start)
        for key, value in values.items():
            alone.put(key, value, put_start)
        if number % 3 == 0:
            assert dict(together.drain_changes()) == dict(alone.drain_changes())
    keys = ["a", "z", "b"]
    assert together.fetch_each(keys, start) == [alone.fetch(key, start) for key in keys]
    assert together.fetch_all(0, 100) == alone.fetch_all(0, 100)
    assert dict(together.drain_changes()) == dict(alone.drain_changes())
    assert together.newest == alone.newest


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


RETENTION_MS = 40


@pytest.mark.parametrize(("start", "is_kept"), [(59, False), (60, False), (61, True), (100, True)])
def test_a_window_is_refused_from_exactly_the_retention_before_the_newest_start(
    new_stores: NewStores, start: int, is_kept: bool
) -> None:
    store = new_stores().window("s", key_type=tuple[str, int], value_type=int, retention_ms=RETENTION_MS)
    store.put("a", 1, 100)
    assert store.put("b", 2, start) is is_kept
    assert store.fetch("b", start) == (2 if is_kept else None)


def test_a_window_expires_when_a_start_is_exactly_the_retention_later(new_stores: NewStores) -> None:
    store = new_stores().window("s", key_type=tuple[str, int], value_type=int, retention_ms=RETENTION_MS)
    store.put("a", 1, 60)
    store.put("b", 2, 99)
    assert store.fetch("a", 60) == 1
    store.drain_changes()
    store.put("b", 3, 100)
    assert store.fetch_all(0, 200) == [("b", 99, 2), ("b", 100, 3)]
    assert {change.key: change.value for change in store.drain_changes()} == {("a", 60): None, ("b", 100): 3}


@pytest.mark.parametrize(("end", "is_kept"), [(59, False), (60, False), (61, True), (100, True)])
def test_a_session_is_refused_from_exactly_the_retention_before_the_newest_end(
    new_stores: NewStores, end: int, is_kept: bool
) -> None:
    store = new_stores().session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=RETENTION_MS)
    store.put("a", 0, 100, 1)
    assert store.put("b", 5, end, 2) is is_kept
    assert store.find_sessions("b", 0, 200) == ([(5, end, 2)] if is_kept else [])


def test_a_session_expires_when_an_end_is_exactly_the_retention_later(new_stores: NewStores) -> None:
    store = new_stores().session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=RETENTION_MS)
    store.put("a", 10, 60, 1)
    store.put("b", 95, 99, 2)
    assert store.find_sessions("a", 0, 200) == [(10, 60, 1)]
    store.drain_changes()
    store.put("b", 95, 100, 3)
    assert store.fetch_all() == [("b", 95, 99, 2), ("b", 95, 100, 3)]
    assert {change.key: change.value for change in store.drain_changes()} == {("a", 10, 60): None, ("b", 95, 100): 3}


def test_the_bounds_of_a_search_for_sessions_are_inclusive(new_stores: NewStores) -> None:
    store = new_stores().session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=RETENTION_MS)
    store.put("a", 10, 20, 1)
    assert store.find_sessions("a", 20, 10) == [(10, 20, 1)]
    assert store.find_sessions("a", 21, 10) == []
    assert store.find_sessions("a", 20, 9) == []


def test_when_a_window_of_a_key_expires_its_others_stay(new_stores: NewStores) -> None:
    store = new_stores().window("s", key_type=tuple[str, int], value_type=int, retention_ms=10)
    store.put("a", 1, 0)
    store.put("a", 2, 5)
    store.put("b", 3, 10)
    assert [change.key for change in store.snapshot()] == [("a", 5), ("b", 10)]
    assert list(store.fetch_range("a", 0, 10)) == [(5, 2)]


def test_when_a_session_of_a_key_expires_its_others_stay(new_stores: NewStores) -> None:
    store = new_stores().session("s", key_type=tuple[str, int, int], value_type=int, retention_ms=10)
    store.put("a", 0, 1, 1)
    store.put("a", 4, 5, 2)
    store.put("b", 11, 11, 3)
    assert [change.key for change in store.snapshot()] == [("a", 4, 5), ("b", 11, 11)]
    assert list(store.find_sessions("a", 0, 100)) == [(4, 5, 2)]


def test_the_first_window_may_be_at_time_0(new_stores: NewStores) -> None:
    assert new_stores().window("s", key_type=tuple[str, int], value_type=int, retention_ms=0).put("a", 1, 0)
