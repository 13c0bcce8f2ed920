"""A copy that has caught up has what was committed, whatever workers do, and the cost of a batch is what it touches."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from eddyline.adapters.spark.state.chunks import ChunkedState, Entry, StateFormatError
from tests.adapters.spark.cells import Cells


def small_copy() -> ChunkedState:
    """A copy whose chunks are small and soon rewritten."""
    return ChunkedState(least_rewritten=3, many_chunks=4, page_bytes=40)


class Workers(RuleBasedStateMachine):
    """Several workers host one task in turn; batches fail, copies are lost."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = Cells()
        self.truth: dict[bytes, bytes] = {}
        self.copies = [small_copy() for _ in range(3)]
        self.views: list[dict[bytes, bytes]] = [{} for _ in range(3)]

    def catch_up(self, worker: int) -> None:
        missed = self.copies[worker].catch_up(self.cells)
        if missed.rebuilt:
            self.views[worker] = {}
        self.apply(self.views[worker], missed.changes)
        assert self.views[worker] == self.truth
        assert dict(self.copies[worker].items()) == self.truth
        assert len(self.copies[worker]) == len(self.truth)

    @staticmethod
    def apply(view: dict[bytes, bytes], changes: Iterable[Entry]) -> None:
        for key, value in changes:
            if value is None:
                view.pop(key, None)
            else:
                view[key] = value

    @rule(worker=st.integers(0, 2), seed=st.integers(0, 10_000), fails=st.booleans())
    def a_batch(self, worker: int, seed: int, *, fails: bool) -> None:
        self.catch_up(worker)
        rng = random.Random(seed)
        keys = rng.sample(range(40), rng.randrange(12))
        changes: list[Entry] = [(b"k%d" % key, None if rng.random() < 0.3 else b"v%d" % seed) for key in keys]
        before = self.cells.copy()
        self.copies[worker].commit(self.cells, changes)
        self.apply(self.views[worker], changes)
        if fails:
            self.cells = before
        else:
            self.apply(self.truth, changes)

    @precondition(lambda self: self.truth)
    @rule(worker=st.integers(0, 2))
    def a_worker_is_new(self, worker: int) -> None:
        self.copies[worker], self.views[worker] = small_copy(), {}
        self.catch_up(worker)

    @invariant()
    def any_new_copy_holds_the_truth(self) -> None:
        copy = small_copy()
        assert dict(copy.catch_up(self.cells).changes) == self.truth


TestWorkers = Workers.TestCase
TestWorkers.settings = settings(max_examples=60, stateful_step_count=90, deadline=None)


def committed(entries: int, rounds: int, touched: int) -> tuple[Cells, ChunkedState, list[int]]:
    """A state of so many entries after rounds that each touch some at random; the bytes that each round wrote."""
    rng, cells, state, written = random.Random(1), Cells(), ChunkedState(), []
    state.commit(cells, [(b"key%07d" % number, b"x" * 20) for number in range(entries)])
    for _ in range(rounds):
        before = cells.written
        state.commit(cells, [(b"key%07d" % number, b"y" * 20) for number in rng.sample(range(entries), touched)])
        written.append(cells.written - before)
    return cells, state, written


def test_what_a_batch_writes_follows_what_it_touches_not_the_size_of_the_state() -> None:
    longest = {entries: max(committed(entries, 60, 1_000)[2]) for entries in (10_000, 100_000)}
    assert longest[100_000] <= longest[10_000] <= 2 * 1_000 * (8 + 10 + 20) + 10


def test_the_log_stays_near_twice_the_live_entries_however_long_it_runs() -> None:
    cells, state, _ = committed(5_000, 400, 500)
    live = len(state) * (8 + 10 + 20)
    assert sum(map(len, cells.chunks.values())) < 2.5 * live


def test_small_chunks_do_not_pile_up() -> None:
    cells, _, _ = committed(500, 1_000, 1)
    assert len(cells.chunks) <= 66


def test_a_copy_that_is_behind_reads_only_what_it_misses() -> None:
    cells, state, _ = committed(20_000, 1, 10)
    other = ChunkedState()
    other.catch_up(cells)
    state.commit(cells, [(b"new", b"entry")])
    cells.read = 0
    missed = other.catch_up(cells)
    assert (missed.changes, missed.rebuilt) == ([(b"new", b"entry")], False)
    assert cells.read < 100


def test_a_batch_that_changes_nothing_writes_nothing() -> None:
    cells, state, _ = committed(10, 1, 1)
    before = cells.copy()
    state.commit(cells, [])
    assert (cells.head, cells.chunks) == (before.head, before.chunks)


def test_a_format_of_another_version_is_refused() -> None:
    cells, _, _ = committed(10, 1, 1)
    assert cells.head is not None
    cells.head = b"\x63" + cells.head[1:]
    with pytest.raises(StateFormatError, match="state has format 99"):
        ChunkedState().catch_up(cells)
