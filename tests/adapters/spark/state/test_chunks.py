"""A copy that has caught up equals the committed state, and a batch costs what it changes, not what the state holds."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from eddyline.adapters.spark.state.chunks import ChunkedState, Entry, StateFormatError
from tests.adapters.spark.state.chunk_store import MemoryChunkStore
from tests.fixtures.examples import examples

ENTRY_BYTES = 8 + 10 + 20
"""The size of an entry of `committed` in a chunk: two lengths, the key and the value."""


def often_compacted() -> ChunkedState:
    """Return an empty copy with small chunks, which soon compacts its log."""
    return ChunkedState(min_rewritten=3, compact_at=4, max_chunk_bytes=40)


class Workers(RuleBasedStateMachine):
    """Three workers run one task in turn; batches fail, and workers are replaced by new ones."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryChunkStore()
        self.committed: dict[bytes, bytes] = {}
        self.copies = [often_compacted() for _ in range(3)]
        self.restored: list[dict[bytes, bytes]] = [{} for _ in range(3)]
        """What a task of each worker would have restored from the changes that its copy was missing."""

    def catch_up(self, worker: int) -> None:
        missing = self.copies[worker].catch_up(self.store)
        if missing.rebuilt:
            self.restored[worker] = {}
        self.apply(self.restored[worker], missing.changes)
        assert self.restored[worker] == self.committed
        assert dict(self.copies[worker].items()) == self.committed
        assert len(self.copies[worker]) == len(self.committed)

    @staticmethod
    def apply(entries: dict[bytes, bytes], changes: Iterable[Entry]) -> None:
        for key, value in changes:
            if value is None:
                entries.pop(key, None)
            else:
                entries[key] = value

    @rule(worker=st.integers(0, 2), seed=st.integers(0, 10_000), fails=st.booleans())
    def run_batch(self, worker: int, seed: int, *, fails: bool) -> None:
        self.catch_up(worker)
        rng = random.Random(seed)
        keys = rng.sample(range(40), rng.randrange(12))
        changes: list[Entry] = [(b"k%d" % key, None if rng.random() < 0.3 else b"v%d" % seed) for key in keys]
        before = self.store.copy()
        self.copies[worker].commit(self.store, changes)
        self.apply(self.restored[worker], changes)
        if fails:
            self.store = before
        else:
            self.apply(self.committed, changes)

    @precondition(lambda self: self.committed)
    @rule(worker=st.integers(0, 2))
    def replace_worker(self, worker: int) -> None:
        self.copies[worker], self.restored[worker] = often_compacted(), {}
        self.catch_up(worker)

    @invariant()
    def an_empty_copy_catches_up_completely(self) -> None:
        copy = often_compacted()
        assert dict(copy.catch_up(self.store).changes) == self.committed


TestWorkers = Workers.TestCase
TestWorkers.settings = settings(max_examples=examples(60), stateful_step_count=90, deadline=None)


def committed(entries: int, commits: int, changed: int) -> tuple[MemoryChunkStore, ChunkedState, list[int]]:
    """Return a state with this many entries after commits that each change some at random, and the bytes each commit wrote."""
    rng, store, state, written = random.Random(1), MemoryChunkStore(), ChunkedState(), []
    state.commit(store, [(b"key%07d" % number, b"x" * 20) for number in range(entries)])
    for _ in range(commits):
        before = store.bytes_written
        state.commit(store, [(b"key%07d" % number, b"y" * 20) for number in rng.sample(range(entries), changed)])
        written.append(store.bytes_written - before)
    return store, state, written


def test_the_bytes_written_by_a_commit_depend_on_the_changes_not_on_the_size_of_the_state() -> None:
    most = {entries: max(committed(entries, 60, 1_000)[2]) for entries in (10_000, 100_000)}
    assert most[100_000] <= most[10_000] <= 2 * 1_000 * ENTRY_BYTES + 10


def test_the_log_stays_below_two_and_a_half_times_the_live_entries() -> None:
    store, state, _ = committed(5_000, 400, 500)
    assert sum(map(len, store.chunks.values())) < 2.5 * len(state) * ENTRY_BYTES


def test_the_number_of_small_chunks_is_limited() -> None:
    store, _, _ = committed(500, 1_000, 1)
    assert len(store.chunks) <= 66


def test_a_copy_that_is_behind_reads_only_what_it_is_missing() -> None:
    store, state, _ = committed(20_000, 1, 10)
    other = ChunkedState()
    other.catch_up(store)
    state.commit(store, [(b"new", b"entry")])
    store.bytes_read = 0
    missing = other.catch_up(store)
    assert (missing.changes, missing.rebuilt) == ([(b"new", b"entry")], False)
    assert store.bytes_read < 100


def test_a_batch_without_changes_writes_nothing() -> None:
    store, state, _ = committed(10, 1, 1)
    before = store.copy()
    state.commit(store, [])
    assert (store.head, store.chunks) == (before.head, before.chunks)


def test_a_state_of_another_format_is_refused() -> None:
    store, _, _ = committed(10, 1, 1)
    assert store.head is not None
    store.head = b"\x63" + store.head[1:]
    with pytest.raises(StateFormatError, match="state has format 99, but this version of eddyline reads format 1"):
        ChunkedState().catch_up(store)


def test_a_new_task_is_not_rebuilt() -> None:
    assert ChunkedState().catch_up(MemoryChunkStore()) == ([], False)


def layout(store: MemoryChunkStore) -> dict[int, tuple[bytes, list[bytes]]]:
    """Return the first byte and the keys of each chunk, by its number; keys have two bytes, values one or none."""
    found = {}
    for number, chunk in store.chunks.items():
        keys, at = [], 1
        while at < len(chunk):
            keys.append(chunk[at + 8 : at + 10])
            at += 10 + max(0, int.from_bytes(chunk[at + 4 : at + 8], "little", signed=True))
        found[number] = (chunk[:1], keys)
    return found


def test_from_the_limit_of_chunks_on_each_commit_rewrites_the_oldest_entries() -> None:
    store, state = MemoryChunkStore(), ChunkedState(min_rewritten=1, compact_at=3)
    for number in range(3):
        state.commit(store, [(b"k%d" % number, b"v")])
    assert layout(store) == {0: (b"c", [b"k0"]), 1: (b"c", [b"k1"]), 2: (b"c", [b"k2"])}
    state.commit(store, [(b"k3", b"v")])
    assert layout(store) == {
        1: (b"c", [b"k1"]),
        2: (b"c", [b"k2"]),
        3: (b"c", [b"k3"]),
        4: (b"m", [b"k0"]),
    }
    state.commit(store, [(b"k4", b"v"), (b"k1", None)])
    assert layout(store) == {3: (b"c", [b"k3"]), 4: (b"m", [b"k0"]), 5: (b"c", [b"k4", b"k1"]), 6: (b"m", [b"k2", b"k3"])}
    assert dict(state.items()) == {b"k0": b"v", b"k2": b"v", b"k3": b"v", b"k4": b"v"}


def test_the_log_is_compacted_when_more_than_twice_the_live_entries_were_written() -> None:
    store, state = MemoryChunkStore(), ChunkedState(min_rewritten=1)
    state.commit(store, [(b"k%d" % number, b"v") for number in range(2)])
    for _ in range(3):
        state.commit(store, [(b"k0", b"v")])
    assert set(layout(store)) == {0, 1, 2, 3}, "5 entries were written, not more than twice 2 and one"
    state.commit(store, [(b"k0", b"v")])
    assert layout(store) == {4: (b"c", [b"k0"]), 5: (b"m", [b"k1"])}
    state.commit(store, [(b"k0", b"v")])
    assert set(layout(store)) == {4, 5, 6}, "what was rewritten counts once"


def test_chunks_are_divided_when_they_reach_their_size() -> None:
    size = 1 + 2 * (8 + 2 + 1)
    for limit, expected in ((size, [2, 2, 1]), (size + 1, [3, 2])):
        store = MemoryChunkStore()
        ChunkedState(max_chunk_bytes=limit).commit(store, [(b"k%d" % number, b"v") for number in range(5)])
        assert [len(keys) for _, keys in layout(store).values()] == expected


def test_deletions_count_by_the_size_of_their_keys() -> None:
    store = MemoryChunkStore()
    ChunkedState(max_chunk_bytes=1 + 2 * (8 + 2)).commit(store, [(b"k%d" % number, None) for number in range(5)])
    assert [len(keys) for _, keys in layout(store).values()] == [2, 2, 1]


def test_the_number_of_chunks_at_which_a_log_is_compacted_is_64() -> None:
    store, state = MemoryChunkStore(), ChunkedState()
    for number in range(64):
        state.commit(store, [(b"%02d" % number, b"v")])
    assert 0 in store.chunks
    state.commit(store, [(b"64", b"v")])
    assert 0 not in store.chunks


def test_a_live_entry_is_found_by_its_key() -> None:
    state = ChunkedState()
    state.commit(MemoryChunkStore(), [(b"a", b"1"), (b"b", None)])
    assert (state.get(b"a"), state.get(b"b"), state.get(b"c")) == (b"1", None, None)
