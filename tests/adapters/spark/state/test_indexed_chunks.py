"""Stores that have caught up equal the committed state, also those that a process that has ended has left on the disk."""

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.adapters.spark.state.chunks import ChunkedState, Entry
from eddyline.adapters.spark.state.entries import NAMES, POSITIONS
from eddyline.adapters.spark.state.indexed_chunks import IndexedChunkedState
from eddyline.application.ports.state_stores import TaskStateStores
from tests.adapters.spark.state.chunk_store import MemoryChunkStore
from tests.fixtures.examples import examples
from tests.fixtures.quick_disk import quick_folder

COUNTS, CELLS = b"\x00\x10", b"\x00\x11"
NAMED: list[Entry] = [(NAMES + b"counts", COUNTS), (NAMES + b"$cells", CELLS)]
"""The names of a store on the disk, and of what is kept beside the index."""


class Worker:
    """A worker with its stores, and a task that has restored what they were missing."""

    def __init__(self, stores: RocksDBStateStores, name: str) -> None:
        self._stores, self._name = stores, name
        self.open()

    def open(self) -> None:
        """Begin as a new process does."""
        self.task: TaskStateStores = self._stores.of_task(self._name)
        self.state = IndexedChunkedState(self.task, ["counts"], min_rewritten=3, compact_at=4, max_chunk_bytes=60)
        self._counts()

    def catch_up(self, store: MemoryChunkStore) -> None:
        missing = self.state.catch_up(store)
        if missing.rebuilt:
            self._counts()
        for entries in missing.portions:
            self.apply(entries)

    def apply(self, entries: Iterable[Entry]) -> None:
        for key, value in entries:
            if key.startswith(COUNTS):
                self.counts.put(key[2:].decode(), None if value is None else value.decode())
            else:
                self.others.pop(key, None)
                self.others.update({} if value is None else {key: value})
        self.counts.drain_changes()

    def entries(self) -> dict[bytes, bytes]:
        return {**self.others, **{COUNTS + key.encode(): value.encode() for key, value in self.counts.range()}}

    def _counts(self) -> None:
        self.counts = self.task.key_value("counts", key_type=str, value_type=str)
        self.others: dict[bytes, bytes] = {}


class Workers(RuleBasedStateMachine):
    """Two workers run one task in turn; batches fail, and workers die and start again on the same disk."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = quick_folder()
        stores = RocksDBStateStores(JsonCodecs(), Path(self.folder.name), cache_max_bytes=1 << 20)
        self.store = MemoryChunkStore()
        self.committed: dict[bytes, bytes] = {}
        self.workers = [Worker(stores, f"worker-{number}") for number in range(2)]

    @rule(worker=st.integers(0, 1), seed=st.integers(0, 10_000), fails=st.sampled_from(["", "", "before commit", "after commit"]))
    def run_batch(self, worker: int, seed: int, fails: str) -> None:
        found, rng = self.workers[worker], random.Random(seed)
        found.catch_up(self.store)
        assert found.entries() == self.committed
        assert len(found.state) == len(self.committed)
        keys = [rng.choice((COUNTS, COUNTS, CELLS, POSITIONS)) + b"k%d" % rng.randrange(20) for _ in range(rng.randrange(12))]
        changes: list[Entry] = [(key, None if rng.random() < 0.3 else b"v%d" % seed) for key in dict.fromkeys(keys)]
        changes = [*(NAMED if not self.committed else []), *changes]
        found.apply(changes)
        before = self.store.copy()
        if fails != "before commit":
            found.state.commit(self.store, changes)
        if fails:
            self.store = before
            found.task.close()
            found.open()
            return
        for key, value in changes:
            self.committed.pop(key, None)
            self.committed.update({} if value is None else {key: value})
        copy = ChunkedState()
        copy.catch_up(self.store)
        assert dict(copy.items()) == self.committed

    @precondition(lambda self: self.committed)
    @rule(worker=st.integers(0, 1))
    def restart(self, worker: int) -> None:
        self.workers[worker].task.close()
        self.workers[worker].open()

    def teardown(self) -> None:
        for worker in self.workers:
            worker.task.close()
        self.folder.cleanup()


TestWorkers = Workers.TestCase
TestWorkers.settings = settings(max_examples=examples(12), stateful_step_count=40, deadline=None)


@pytest.fixture
def stores(quick_disk: Path) -> RocksDBStateStores:
    return RocksDBStateStores(JsonCodecs(), quick_disk, cache_max_bytes=1 << 20)


def test_a_restart_on_the_same_disk_reads_no_chunks_again(stores: RocksDBStateStores) -> None:
    store, worker = MemoryChunkStore(), Worker(stores, "task")
    worker.catch_up(store)
    changes: list[Entry] = [*NAMED, *((COUNTS + b"k%d" % number, b"v") for number in range(100))]
    worker.apply(changes)
    worker.state.commit(store, changes)
    worker.task.close()
    worker.open()
    store.bytes_read = 0
    missing = worker.state.catch_up(store)
    assert (missing.rebuilt, [dict(entries) for entries in missing.portions]) == (False, [dict(NAMED)])
    assert store.bytes_read == 0
    assert worker.counts.get("k7") == "v"


def test_the_log_stays_below_two_and_a_half_times_the_live_entries(stores: RocksDBStateStores) -> None:
    store, rng = MemoryChunkStore(), random.Random(1)
    state = IndexedChunkedState(stores.of_task("task"), ["counts"])
    state.catch_up(store)
    state.commit(store, [(b"key%07d" % number, b"x" * 20) for number in range(5_000)])
    for _ in range(200):
        state.commit(store, [(b"key%07d" % number, b"y" * 20) for number in rng.sample(range(5_000), 500)])
    assert sum(map(len, store.chunks.values())) == state.size_bytes < 2.5 * len(state) * (8 + 10 + 20)
