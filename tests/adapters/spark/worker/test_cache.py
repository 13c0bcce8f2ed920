"""A worker's cache belongs to one run and is dropped with it."""

import gc
import weakref

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import WorkerCaches
from eddyline.application.topology import TopologyBuilder
from tests.runtime.plans import run_plan


class ClosingLog(MemoryEventLog):
    """A log that counts how often it was closed."""

    closed = 0

    def close(self) -> None:
        type(self).closed += 1


@pytest.fixture
def plan() -> SparkPlan:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("counts")
    topology, log = builder.build(), ClosingLog()
    log.create_topic("lines", 1)
    return SparkPlan(run_plan(topology, log), stage_line(topology), "app-1", groups=1)


def test_a_task_is_cached_until_the_next_batch_of_its_run(plan: SparkPlan) -> None:
    caches, broadcast = WorkerCaches(), Broadcast(plan, "app-1")
    state, hosted = caches.of(broadcast).take(0, 0, 5)
    caches.of(broadcast).put(0, 0, state, hosted)
    assert hosted.host.task.wall_clock_ms == 5
    assert caches.of(broadcast).take(0, 0, 6) == (state, hosted)


def test_a_stateless_task_is_cached_until_the_next_batch_of_its_run(plan: SparkPlan) -> None:
    caches, broadcast = WorkerCaches(), Broadcast(plan, "app-1")
    hosted = caches.of(broadcast).take_stateless(0, 0, 5)
    assert hosted.host.task.wall_clock_ms == 5
    assert caches.of(broadcast).take_stateless(0, 0, 5) is not hosted
    caches.of(broadcast).put_stateless(0, 0, hosted)
    assert caches.of(broadcast).take_stateless(0, 0, 6) is hosted


def test_a_task_whose_batch_failed_is_created_again(plan: SparkPlan) -> None:
    caches, broadcast = WorkerCaches(), Broadcast(plan, "app-1")
    state, hosted = caches.of(broadcast).take(0, 0, 5)
    next_state, next_hosted = caches.of(broadcast).take(0, 0, 6)
    assert next_state is not state
    assert next_hosted is not hosted


def test_the_next_run_of_a_checkpoint_drops_the_cache_of_the_previous_run(plan: SparkPlan) -> None:
    caches, first, second = WorkerCaches(), Broadcast(plan, "app-1"), Broadcast(plan, "app-1")
    state, hosted = caches.of(first).take(0, 0, 5)
    cached = weakref.ref(hosted)
    caches.of(first).put(0, 0, state, hosted)
    del state, hosted
    closed = ClosingLog.closed
    caches.of(second)
    gc.collect()
    assert cached() is None
    assert (len(caches), ClosingLog.closed) == (1, closed + 1)


def test_runs_of_several_checkpoints_have_caches_side_by_side(plan: SparkPlan) -> None:
    caches, one, other = WorkerCaches(), Broadcast(plan, "app-1"), Broadcast(plan, "app-2")
    cache = caches.of(one)
    caches.of(other)
    assert caches.of(one) is cache
    assert len(caches) == 2


def test_a_cache_that_is_idle_for_too_long_is_dropped(plan: SparkPlan) -> None:
    caches, one, other = WorkerCaches(idle_s=-1.0), Broadcast(plan, "app-1"), Broadcast(plan, "app-2")
    cache = caches.of(one)
    assert caches.of(one) is cache
    caches.of(other)
    assert len(caches) == 1
    assert caches.of(one) is not cache
