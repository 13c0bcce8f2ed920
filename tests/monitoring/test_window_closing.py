"""Why windows are open, of runs in memory."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.monitoring.window_closing import OpenWindow, StoreWindows, WindowClosing
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.queries.answers import InvalidQueryError
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.graph import with_idle_timeout
from eddyline.application.topology.windows import (
    EmitStrategy,
    on_window_close,
    on_window_update,
    session,
    sliding,
    tumbling,
    unlimited,
)
from tests.adapters.memory.running import built
from tests.runtime.plans import all_records, memory_ports

NOW = 100_000


class Shop:
    """A running flow whose sales windows are asked about."""

    def __init__(self, define: Callable[[TopologyBuilder], object], *, partitions: int = 1, **options: Any) -> None:
        self.log, self.clock = MemoryEventLog(), MemoryClock(NOW)
        self.log.create_topic("sales", partitions)
        self.topology = built(define)
        self._run = MemoryRun(
            self.topology, memory_ports(self.log), RunOptions(application_id="app", changelog_stores="all", **options), self.clock
        )
        topology = with_idle_timeout(self.topology, options.get("idle_timeout_ms"))
        self.follower = ChangelogFollower(topology, "app", self.log, JsonCodecs(), MemoryReadModel())
        self.closing = WindowClosing(self.follower, self.log, self.clock)

    def sell(self, key: bytes, timestamp: int, partition: int = 0) -> None:
        self.log.append("sales", key, b"1", timestamp, partition=partition)

    def run(self) -> None:
        self._run.run_available_now()

    def why_open(self, store: str = "counts", **options: Any) -> StoreWindows:
        self.follower.catch_up()
        return self.closing.why_open(store, **options)


def counted(windows: Any, strategy: EmitStrategy | None = None) -> Callable[[TopologyBuilder], object]:
    def define(builder: TopologyBuilder) -> None:
        grouped = builder.stream("sales", key=str, value=int).group_by_key()
        windowed = grouped.windowed_by(windows, emit_strategy=strategy or on_window_update())
        windowed.count(store="counts").to_stream().to("out")

    return define


def counted_by_shop(builder: TopologyBuilder) -> None:
    (
        builder.stream("sales", key=str, value=int)
        .group_by(lambda key, _value: key, key=str, name="by-shop")
        .windowed_by(tumbling(10, grace=5))
        .count(store="counts")
        .to_stream()
        .to("out")
    )


def test_the_open_windows_of_a_task_are_sorted_by_the_time_that_closes_them() -> None:
    shop = Shop(counted(tumbling(10, grace=5)))
    for key, timestamp in ((b"a", 1), (b"b", 3), (b"a", 12), (b"a", 24)):
        shop.sell(key, timestamp)
    shop.run()
    found = shop.why_open()
    (task,) = found.tasks
    assert (found.store, found.wait_ms, found.open, found.complete) == ("counts", 5, 2, True)
    assert (task.partition, task.stream_time, task.open) == (0, 24, 2)
    assert task.windows == [OpenWindow(10, 20, 25, 1, "a"), OpenWindow(20, 30, 35, 1, "a")]


def test_a_window_of_several_keys_is_one_window() -> None:
    shop = Shop(counted(tumbling(10, grace=5)))
    shop.sell(b"a", 1)
    shop.sell(b"b", 3)
    shop.run()
    assert shop.why_open().tasks[0].windows == [OpenWindow(0, 10, 15, 2, "a")]


@pytest.mark.parametrize(("limit", "starts"), [(1, [0]), (2, [0, 10])])
def test_only_the_windows_that_close_first_are_returned(limit: int, starts: list[int]) -> None:
    shop = Shop(counted(tumbling(10, grace=50)))
    for timestamp in (25, 1, 12):
        shop.sell(b"a", timestamp)
    shop.run()
    (task,) = shop.why_open(limit=limit).tasks
    assert (task.open, [window.start for window in task.windows]) == (3, starts)


@pytest.mark.parametrize(
    ("windows", "closes_at"),
    [(tumbling(10, grace=5), 15), (sliding(10, grace=5), 16), (session(10, grace=5), 17)],
)
def test_the_stream_time_that_closes_a_window_closes_it_and_no_earlier_one_does(windows: Any, closes_at: int) -> None:
    shop = Shop(counted(windows, on_window_close()))
    shop.sell(b"a", 1)
    shop.run()
    first = shop.why_open().tasks[0].windows[0]
    assert first.closes_at == closes_at
    shop.sell(b"b", closes_at - 1)
    shop.run()
    assert first in shop.why_open().tasks[0].windows
    shop.sell(b"b", closes_at)
    shop.run()
    assert first not in shop.why_open().tasks[0].windows


def test_a_window_that_is_closed_takes_no_record_and_an_open_one_does() -> None:
    for stream_time, accepted in ((14, True), (15, False)):
        shop = Shop(counted(tumbling(10, grace=5)))
        shop.sell(b"a", 1)
        shop.sell(b"b", stream_time)
        shop.run()
        is_open = any(window.start == 0 for window in shop.why_open().tasks[0].windows)
        shop.sell(b"a", 2)
        shop.run()
        assert is_open == accepted == (b"2" in [record.value for record in all_records(shop.log, "out")])


def test_a_partition_with_unprocessed_records_is_behind() -> None:
    shop = Shop(counted(tumbling(10, grace=5)), partitions=2)
    shop.sell(b"a", 1, partition=0)
    shop.sell(b"b", 30, partition=1)
    shop.run()
    shop.sell(b"a", 40, partition=0)
    shop.sell(b"a", 41, partition=0)
    first, second = shop.why_open().tasks
    assert [(source.topic, source.partition, source.lag, source.last_timestamp) for source in first.behind] == [
        ("sales", 0, 2, 41)
    ]
    assert first.idle == []
    assert second.behind == []
    assert [(source.partition, source.last_timestamp) for source in second.idle] == [(1, 30)]


def test_a_partition_is_idle_from_when_its_end_was_first_seen_or_last_seen_to_advance() -> None:
    shop = Shop(counted(tumbling(10, grace=5)))
    shop.sell(b"a", 1)
    shop.run()
    assert shop.why_open().tasks[0].idle[0].idle_since == NOW
    shop.clock.advance(7)
    shop.sell(b"a", 2)
    shop.run()
    assert shop.why_open().tasks[0].idle[0].idle_since == NOW + 7
    shop.clock.advance(1_000)
    assert shop.why_open().tasks[0].idle[0].idle_since == NOW + 7


def test_a_run_may_know_when_the_end_of_a_partition_advanced() -> None:
    shop = Shop(counted(tumbling(10, grace=5)))
    shop.closing = WindowClosing(shop.follower, shop.log, shop.clock, last_advanced={TopicPartition("sales", 0): 5}.get)
    shop.sell(b"a", 1)
    shop.run()
    assert shop.why_open().tasks[0].idle[0].idle_since == 5


def test_all_partitions_upstream_of_a_repartition_feed_each_task() -> None:
    shop = Shop(counted_by_shop, partitions=2)
    shop.sell(b"a", 1, partition=1)
    shop.run()
    for task in shop.why_open().tasks:
        assert task.direct == []
        assert [(source.partition, source.end) for source in task.upstream] == [(0, 0), (1, 1)]


def by_idleness(shop: Shop) -> list[tuple[int, int | None]]:
    return [(window.closes_at, window.idle_closes_at) for window in shop.why_open().tasks[0].windows]


def test_without_an_idle_timeout_no_window_closes_by_itself() -> None:
    shop = Shop(counted(tumbling(100, grace=0)))
    shop.sell(b"a", 5)
    shop.run()
    assert by_idleness(shop) == [(100, None)]


@pytest.mark.parametrize(("timestamp", "closes_in"), [(5, 95), (90, 50)])
def test_an_idle_timeout_closes_a_window_when_it_is_said_to(timestamp: int, closes_in: int) -> None:
    shop = Shop(counted(tumbling(100, grace=0), on_window_close()), idle_timeout_ms=50)
    shop.sell(b"a", timestamp)
    shop.run()
    assert by_idleness(shop) == [(100, NOW + closes_in)]
    for _ in range(closes_in - 1):
        shop.clock.advance(1)
        shop.run()
        assert by_idleness(shop) == [(100, NOW + closes_in)]
    shop.clock.advance(1)
    shop.run()
    assert by_idleness(shop) == []
    assert len(all_records(shop.log, "out")) == 1


def test_no_window_closes_by_idleness_while_records_wait() -> None:
    shop = Shop(counted(tumbling(100, grace=0)), idle_timeout_ms=50)
    shop.sell(b"a", 5)
    shop.run()
    shop.sell(b"a", 6)
    assert by_idleness(shop) == [(100, None)]


def test_behind_a_repartition_the_partition_that_was_active_last_counts() -> None:
    shop = Shop(counted_by_shop, partitions=2, idle_timeout_ms=50)
    shop.sell(b"a", 1, partition=1)
    shop.run()
    shop.why_open()
    shop.clock.advance(20)
    shop.sell(b"a", 2, partition=0)
    shop.run()
    windows = [window for task in shop.why_open().tasks for window in task.windows]
    assert [(window.closes_at, window.idle_closes_at) for window in windows] == [(15, NOW + 70)]


def test_a_task_without_records_has_no_stream_time_and_no_windows() -> None:
    shop = Shop(counted(tumbling(10, grace=5)), partitions=2)
    shop.sell(b"a", 1, partition=0)
    shop.run()
    task = shop.why_open().tasks[1]
    assert (task.stream_time, task.open, task.windows) == (None, 0, [])


@pytest.mark.parametrize("store", ["totals", "nothing"])
def test_a_store_without_windows_that_close_is_an_error_with_the_choices(store: str) -> None:
    def define(builder: TopologyBuilder) -> None:
        counted(tumbling(10, grace=5))(builder)
        grouped = builder.stream("sales", key=str, value=int).group_by_key()
        grouped.windowed_by(unlimited()).count(store="totals")

    shop = Shop(define)
    shop.sell(b"a", 1)
    shop.run()
    with pytest.raises(InvalidQueryError, match=f"store '{store}' has no windows that close; choose one of: counts"):
        shop.why_open(store)
