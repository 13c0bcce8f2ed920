"""What a worker keeps between batches belongs to one run, and is dropped with it."""

import gc
import weakref

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import WorkerCaches
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.topology import TopologyBuilder


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
    ports = RunPorts(log, MemoryEventSink(log), JsonCodecs(), MemoryStateStores())
    run = RunPlan.of(topology, ports, RunOptions(application_id="app"))
    return SparkPlan(run, stage_line(topology), "app-1", groups=1)


def test_a_task_is_kept_until_the_next_batch_of_its_run(plan: SparkPlan) -> None:
    caches, broadcast = WorkerCaches(), Broadcast(plan, "app-1")
    state, hosted = caches.of(broadcast).take(0, 0, 5)
    caches.of(broadcast).put(0, 0, state, hosted)
    assert caches.of(broadcast).take(0, 0, 6) == (state, hosted)


def test_a_task_whose_batch_failed_is_made_again(plan: SparkPlan) -> None:
    caches, broadcast = WorkerCaches(), Broadcast(plan, "app-1")
    state, hosted = caches.of(broadcast).take(0, 0, 5)
    again_state, again_hosted = caches.of(broadcast).take(0, 0, 6)
    assert again_state is not state
    assert again_hosted is not hosted


def test_the_next_run_of_a_checkpoint_drops_what_the_run_before_kept(plan: SparkPlan) -> None:
    caches, first, second = WorkerCaches(), Broadcast(plan, "app-1"), Broadcast(plan, "app-1")
    state, hosted = caches.of(first).take(0, 0, 5)
    kept = weakref.ref(hosted)
    caches.of(first).put(0, 0, state, hosted)
    del state, hosted
    closed = ClosingLog.closed
    caches.of(second)
    gc.collect()
    assert kept() is None
    assert (len(caches), ClosingLog.closed) == (1, closed + 1)


def test_runs_of_several_checkpoints_are_kept_side_by_side_while_they_are_used(plan: SparkPlan) -> None:
    caches, one, other = WorkerCaches(), Broadcast(plan, "app-1"), Broadcast(plan, "app-2")
    cache = caches.of(one)
    caches.of(other)
    assert caches.of(one) is cache
    assert len(caches) == 2


def test_a_run_that_was_not_used_for_long_is_dropped(plan: SparkPlan) -> None:
    caches, one, other = WorkerCaches(idle_s=-1.0), Broadcast(plan, "app-1"), Broadcast(plan, "app-2")
    cache = caches.of(one)
    assert caches.of(one) is cache
    caches.of(other)
    assert len(caches) == 1
    assert caches.of(one) is not cache
