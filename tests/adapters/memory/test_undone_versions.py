from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from eddyline.adapters.memory.versioned_store import MemoryVersionedKeyValueStore
from eddyline.application.ports.state_store import UndoLog

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("ab"), st.one_of(st.none(), st.integers(0, 9)), st.integers(0, 40)),
        st.tuples(st.just("delete"), st.sampled_from("ab"), st.integers(0, 40)),
        st.tuples(st.just("observe"), st.integers(0, 40)),
    ),
    max_size=12,
)


def play(store: MemoryVersionedKeyValueStore[Any, Any], steps: list[Any]) -> None:
    for operation, *arguments in steps:
        getattr(store, operation)(*arguments)


def seen(store: MemoryVersionedKeyValueStore[Any, Any]) -> Any:
    reads = [(key, time, store.get(key, time), store.is_latest(key, time)) for key in "ab" for time in range(-1, 42)]
    return list(store.snapshot()), reads, store.newest


@given(STEPS, STEPS, STEPS)
@example([("delete", "b", 0)], [("put", "b", None, 10)], [("put", "a", None, 10)])
def test_what_is_undone_has_never_happened(before: list[Any], undone: list[Any], after: list[Any]) -> None:
    undo = UndoLog()
    store, expected = MemoryVersionedKeyValueStore[Any, Any]("rows", 10, undo), MemoryVersionedKeyValueStore[Any, Any]("rows", 10)
    play(store, before)
    play(expected, before)
    undo.clear()
    play(store, undone)
    for function in reversed(list(undo)):
        function()
    undo.clear()
    assert seen(store) == seen(expected)
    play(store, after)
    play(expected, after)
    assert seen(store) == seen(expected)
    copy, restored = MemoryVersionedKeyValueStore[Any, Any]("rows", 10), MemoryVersionedKeyValueStore[Any, Any]("rows", 10)
    copy.restore(store.drain_changes())
    restored.restore(expected.drain_changes())
    assert list(copy.snapshot()) == list(restored.snapshot())
