"""Range queries of a key-value store in memory find its keys in order, whatever has changed since the query before."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.key_value_store import MemoryKeyValueStore

KEYS = st.tuples(st.integers(0, 9), st.sampled_from("abc"))
STEPS = st.one_of(
    st.tuples(st.just("put"), KEYS),
    st.tuples(st.just("delete"), KEYS),
    st.tuples(st.just("range"), KEYS),
    st.tuples(st.just("prefix"), KEYS),
)


@given(st.sets(KEYS), st.lists(STEPS))
def test_queries_between_changes_are_those_of_sorted_rows(begin: set[Any], steps: list[tuple[str, Any]]) -> None:
    store, rows = MemoryKeyValueStore[Any, int]("s"), dict[Any, int]()
    for number, (step, key) in enumerate([*(("put", key) for key in begin), *steps]):
        if step == "put":
            store.put(key, number)
            rows[key] = number
        elif step == "delete":
            assert store.delete(key) == rows.pop(key, None)
        elif step == "range":
            assert list(store.range(key)) == [row for row in sorted(rows.items()) if row[0] >= key]
            assert list(store.range(None, key, reverse=True)) == [row for row in sorted(rows.items())[::-1] if row[0] <= key]
        else:
            assert list(store.prefix_scan(key[:1])) == [row for row in sorted(rows.items()) if row[0][0] == key[0]]
