"""Stores in RocksDB do the same as those in memory, whatever is written, undone and read, and however little is cached."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.application.ports.state_store import UndoLog
from eddyline.application.ports.state_stores import StateStores, TaskStateStores
from tests.fixtures.examples import examples
from tests.fixtures.quick_disk import quick_folder

KEYS, TIMES, VALUES = (
    st.sampled_from(["", "a", "ab", "é"]),
    st.integers(0, 60),
    st.none() | st.lists(st.integers(0, 9), max_size=2),
)
STEPS = {
    "key_value": st.one_of(
        st.tuples(st.just("put"), KEYS, VALUES),
        st.tuples(st.just("put_all"), st.dictionaries(KEYS, VALUES)),
        st.tuples(st.just("delete"), KEYS),
        st.tuples(st.just("put_if_absent"), KEYS, st.just([7])),
        st.tuples(st.just("get"), KEYS),
        st.tuples(st.just("range"), KEYS, KEYS),
        st.tuples(st.just("approximate_num_entries")),
    ),
    "window": st.one_of(
        st.tuples(st.just("put"), KEYS, VALUES, TIMES),
        st.tuples(st.just("fetch"), KEYS, TIMES),
        st.tuples(st.just("fetch_range"), KEYS, TIMES, TIMES),
        st.tuples(st.just("observe"), TIMES),
    ),
    "session": st.one_of(
        st.builds(
            lambda key, start, length, value: ("put", key, start, start + length, value), KEYS, TIMES, st.integers(0, 9), VALUES
        ),
        st.tuples(st.just("find_sessions"), KEYS, TIMES, TIMES),
        st.tuples(st.just("observe"), TIMES),
    ),
    "versioned": st.one_of(
        st.tuples(st.just("put"), KEYS, VALUES, TIMES),
        st.tuples(st.just("delete"), KEYS, TIMES),
        st.tuples(st.just("get"), KEYS, st.none() | TIMES),
        st.tuples(st.just("is_latest"), KEYS, TIMES),
        st.tuples(st.just("observe"), TIMES),
    ),
}
BETWEEN = st.sampled_from(["undo", "keep", "drain"])
_NUMBERS = count()


@pytest.fixture(scope="module")
def task_stores() -> Iterator[TaskStateStores]:
    with quick_folder() as folder:
        stores = RocksDBStateStores(JsonCodecs(), Path(folder), cache_max_bytes=1).of_task("0_0")
        yield stores
        stores.close()


@pytest.mark.parametrize("kind", STEPS)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_store_in_rocksdb_does_what_the_store_in_memory_does(
    task_stores: TaskStateStores, kind: str, data: st.DataObject
) -> None:
    name = f"rows-{next(_NUMBERS)}"
    undo, expected_undo = UndoLog(), UndoLog()
    store, expected = (
        created(task_stores.undoable(undo), kind, name),
        created(MemoryStateStores().undoable(expected_undo), kind, name),
    )
    for steps, then in data.draw(st.lists(st.tuples(st.lists(STEPS[kind], max_size=6), BETWEEN), max_size=5)):
        for operation, *arguments in steps:
            assert done(store, operation, arguments) == done(expected, operation, arguments)
        for log in (undo, expected_undo):
            for function in reversed(log if then == "undo" else ()):
                function()
            log.clear()
        if then == "drain":
            drained, expected_drained = (
                {change.key: change.value for change in each.drain_changes()} for each in (store, expected)
            )
            assert drained.items() >= {key: value for key, value in expected_drained.items() if value is not None}.items()
            assert all(value is None for key, value in drained.items() if key not in expected_drained)
        assert list(store.snapshot()) == list(expected.snapshot())
        assert kind == "key_value" or store.newest == expected.newest


def created(stores: StateStores, kind: str, name: str) -> Any:
    if kind == "key_value":
        return stores.key_value(name, key_type=str, value_type=list[int])
    if kind == "window":
        return stores.window(name, key_type=tuple[str, int], value_type=list[int], retention_ms=20)
    if kind == "session":
        return stores.session(name, key_type=tuple[str, int, int], value_type=list[int], retention_ms=20)
    return stores.versioned(name, key_type=tuple[str, int], value_type=tuple[list[int] | None], history_retention_ms=20)


def done(store: Any, operation: str, arguments: list[Any]) -> Any:
    found = getattr(store, operation)(*arguments)
    return list(found) if operation == "range" else found
