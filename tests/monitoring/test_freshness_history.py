"""How fresh the state of a flow was over time."""

import time
from collections.abc import Sequence

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.application.monitoring.freshness_history import FreshnessHistory
from eddyline.application.queries.answers import StoreInfo
from eddyline.application.topology.stores import StoreKind
from tests.fixtures.state_queries import MemoryStateQueries


def two_stores() -> MemoryStateQueries:
    queries = MemoryStateQueries()
    for name in ("first", "second"):
        queries.add(name, StoreKind.KEY_VALUE, (str, int), [])
    return queries


def test_without_stores_there_are_no_samples() -> None:
    history = FreshnessHistory(MemoryStateQueries(), MemoryClock(5))
    history.sample()
    assert history.samples == ()


def test_a_sample_has_what_all_stores_have_reached() -> None:
    queries = two_stores()
    queries.refresh("first", batch=4, batch_time=100, stream_time=7, offsets={"a": [3, 5], "b": [1]}, lag=2)
    queries.refresh("second", batch=6, batch_time=200, stream_time=None, offsets={"a": [4, 2]}, lag=9, restoring=True)
    history = FreshnessHistory(queries, MemoryClock(5))
    history.sample()
    (sample,) = history.samples
    assert (sample.time, sample.batch, sample.batch_time, sample.stream_time) == (5, 4, 200, 7)
    assert (sample.offsets, sample.records, sample.lag, sample.restoring) == ({"a": [4, 5], "b": [1]}, 10, 9, True)


def test_a_store_without_a_batch_leaves_the_batch_open() -> None:
    queries = two_stores()
    queries.refresh("first", batch=None, batch_time=None, stream_time=None)
    queries.refresh("second", stream_time=None)
    history = FreshnessHistory(queries, MemoryClock(5))
    history.sample()
    assert (history.samples[0].batch, history.samples[0].stream_time) == (None, None)


def test_only_the_latest_samples_are_kept() -> None:
    clock = MemoryClock(0)
    history = FreshnessHistory(two_stores(), clock)
    for _ in range(605):
        clock.advance(1)
        history.sample()
    assert [history.samples[0].time, history.samples[-1].time, len(history.samples)] == [6, 605, 600]


def test_samples_are_taken_in_a_thread_also_after_an_error() -> None:
    class Broken(MemoryStateQueries):
        fails = True

        def stores(self) -> Sequence[StoreInfo]:
            if self.fails:
                raise RuntimeError("the log is away")
            return super().stores()

    queries = Broken()
    queries.add("first", StoreKind.KEY_VALUE, (str, int), [])
    history = FreshnessHistory(queries, MemoryClock(5), interval_s=0.01)
    history.start()
    queries.fails = False
    deadline = time.monotonic() + 120
    while not history.samples:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    history.stop()
    taken = len(history.samples)
    history.sample()
    assert len(history.samples) == taken + 1
