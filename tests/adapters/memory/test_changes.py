"""The entries that a key-value store in memory reports as changed, whatever was done with them since it was asked before."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.key_value_store import MemoryKeyValueStore
from eddyline.application.ports.state_store import StoreChange

KEYS: Final = st.sampled_from("abcd")
STEPS: Final = st.lists(
    st.one_of(
        st.tuples(st.just("put_all"), st.dictionaries(KEYS, st.none() | st.integers(1, 9))),
        st.tuples(st.just("put"), st.dictionaries(KEYS, st.none() | st.integers(1, 9), min_size=1, max_size=1)),
        st.tuples(st.just("restore"), st.dictionaries(KEYS, st.none() | st.integers(1, 9))),
        st.tuples(st.sampled_from(["count", "range", "drain"]), st.just({})),
    ),
    max_size=12,
)


@pytest.mark.parametrize("omits", [False, True])
@given(steps=STEPS)
def test_each_changed_entry_is_drained_once(steps: list[tuple[str, dict[str, Any]]], *, omits: bool) -> None:
    store = MemoryKeyValueStore[str, int]("s")
    if omits:
        store.omit_short_lived()
    rows, changed, stored = dict[str, int](), set[str](), set[str]()
    for step, values in [*steps, ("drain", {})]:
        if step == "drain":
            found = store.drain_changes()
            expected = {key: rows.get(key) for key in changed if not omits or key in rows or key in stored}
            assert dict(found) == expected
            assert len(found) == len(expected)
            changed, stored = set(), set(rows)
        elif step == "count":
            assert store.approximate_num_entries() == len(rows)
        elif step == "range":
            assert list(store.range()) == sorted(rows.items())
        elif step == "restore":
            if changed:
                continue  # a store is restored before it is changed
            store.restore(StoreChange(key, value) for key, value in values.items())
            _set(rows, values)
            stored = set(rows)
        else:
            changed |= {key for key, value in values.items() if value is not None or key in rows}
            if step == "put_all":
                store.put_all(values)
            else:
                store.put(*next(iter(values.items())))
            _set(rows, values)
        assert {key: store.get(key) for key in "abcd"} == {key: rows.get(key) for key in "abcd"}


def _set(rows: dict[str, int], values: dict[str, Any]) -> None:
    for key, value in values.items():
        if value is None:
            rows.pop(key, None)
        else:
            rows[key] = value
