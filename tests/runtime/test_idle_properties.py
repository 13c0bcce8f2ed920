"""Idle timeouts change nothing while no source is idle, and a repeated batch has the same output."""

from typing import Any, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.task.host import TaskHost
from eddyline.application.topology import Topology
from eddyline.application.topology.graph import with_idle_timeout
from eddyline.testing import MemoryEngine
from tests.adapters.spark.random_topologies import random_topology
from tests.features.semantics.idle_flow import IDLE
from tests.runtime.outlets import ListOutlet
from tests.runtime.plans import all_records, memory_ports, run_plan

PARTITIONS = 3
TIMEOUT = 100
CODECS = JsonCodecs()
SEEDS = st.integers(0, 60)
Step: TypeAlias = tuple[str, str | None, int | None, int, int]
"""Topic, key, value, timestamp, and the time by which the wall clock advances before."""

TIMES = st.integers(0, 400)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["left", "right"]),
        st.sampled_from(["a", "b", "c", "d", None]),
        st.none() | st.integers(0, 9),
        TIMES,
        st.sampled_from([0, 0, 10, 60, 100, 150]),
    ),
    max_size=25,
)
EMIT: Any = st.sampled_from(["every-update", "latest"])


def sources(topology: Topology) -> set[str]:
    return {spec.name for spec in topology.source_topics}


@given(SEEDS, STEPS, EMIT)
def test_while_no_source_is_idle_the_output_is_that_of_event_time(seed: int, steps: list[Step], emit: Any) -> None:
    by_event_time = random_topology(seed)
    engines = [
        MemoryEngine(topology, partitions=PARTITIONS, emit=emit)
        for topology in (by_event_time, with_idle_timeout(by_event_time, TIMEOUT))
    ]
    for topic, key, value, timestamp, advance in steps:
        for engine in engines:
            for each in sources(by_event_time):
                for partition in range(PARTITIONS):
                    engine.pipe(each, "alive", 1, timestamp, partition=partition)
            engine.advance_wall_clock(min(advance, TIMEOUT - 1))
            if topic in sources(by_event_time):
                engine.pipe(topic, key, value, timestamp)
            engine.commit()
    assert engines[0].outputs() == engines[1].outputs()
    assert engines[0].drops == engines[1].drops


@given(SEEDS, STEPS, st.integers(1, TIMEOUT))
def test_a_run_over_a_log_has_the_output_of_the_test_driver(seed: int, steps: list[Step], timeout: int) -> None:
    topology = random_topology(seed)
    engine = MemoryEngine(with_idle_timeout(topology, timeout), partitions=PARTITIONS, codecs=CODECS)
    log, results, clock = MemoryEventLog(), MemoryEventLog(), MemoryClock()
    types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.source_topics}
    for topic in types:
        log.create_topic(topic, PARTITIONS)
    ports = memory_ports(results)
    options = RunOptions(application_id="app", emit="every-update", idle_timeout_ms=timeout, new_topic_partitions=1)
    run = MemoryRun(topology, memory_ports(log, sink=ports.sink), options, clock)
    for number, (topic, key, value, timestamp, advance) in enumerate(steps):
        engine.advance_wall_clock(advance)
        clock.advance(advance)
        run.run_available_now()
        if topic in types:
            partition = number % PARTITIONS
            engine.pipe(topic, key, value, timestamp, partition=partition)
            encoded = CODECS.for_key(topic, types[topic][0]).encode(key), CODECS.for_value(topic, types[topic][1]).encode(value)
            log.append(topic, *encoded, timestamp, partition=partition)
            run.run_available_now()
    (spec,) = topology.sink_topics
    key_codec, value_codec = CODECS.for_key("out", spec.key_type), CODECS.for_value("out", spec.value_type)
    expected = [(key_codec.encode(o.key), value_codec.encode(o.value), o.timestamp) for o in engine.outputs()]
    found = [(record.key, record.value, record.timestamp) for record in all_records(results, "out")]
    assert by_key(found) == by_key(expected)
    assert run.report.drops == engine.drops


def by_key(records: list[tuple[bytes | None, bytes | None, int]]) -> dict[bytes | None, list[tuple[bytes | None, int]]]:
    updates: dict[bytes | None, list[tuple[bytes | None, int]]] = {}
    for key, value, timestamp in records:
        updates.setdefault(key, []).append((value, timestamp))
    return updates


BATCHES = st.lists(
    st.tuples(st.lists(st.tuples(st.sampled_from("ab"), TIMES), max_size=3), st.integers(0, 80)), min_size=1, max_size=8
)


@given(st.sampled_from(["windows", "sessions", "suppress", "join", "ticks"]), BATCHES, st.data())
def test_a_repeated_batch_has_the_same_output_and_state(kind: str, batches: Any, data: st.DataObject) -> None:
    topology = IDLE.topology(kind=kind, timeout_s=0)
    log = MemoryEventLog()
    topics = sorted(sources(topology))
    for topic in topics:
        log.create_topic(topic, 1)
    plan = run_plan(topology, log, idle_timeout_ms=50, emit="every-update")
    repeated = data.draw(st.integers(0, len(batches) - 1))
    state: list[tuple[str, StoreChange]] = []
    host, outlet = host_of(plan)
    now = 0
    for number, (records, advance) in enumerate(batches):
        now += advance
        ranges = []
        for index, topic in enumerate(topics):
            start = log.end_offset(topic, 0)
            for key, timestamp in records[index :: len(topics)]:
                log.append(topic, key.encode(), b"x", timestamp)
            ranges.append(OffsetRange(topic, 0, start, log.end_offset(topic, 0)))
        if number == repeated:
            other, other_outlet = host_of(plan)
            other.task.restore(state)
            changes = run_batch(other, ranges, now)
            before = len(outlet.values("out"))
            assert run_batch(host, ranges, now) == changes
            assert outlet.values("out")[before:] == other_outlet.values("out")
            state += changes
        else:
            state += run_batch(host, ranges, now)


def host_of(plan: Any) -> tuple[TaskHost, ListOutlet]:
    outlet = ListOutlet()
    return TaskHost(plan, 0, 0, outlet, now_ms=0), outlet


def run_batch(host: TaskHost, ranges: list[OffsetRange], now_ms: int) -> list[tuple[str, StoreChange]]:
    for _ in host.run(TaskInput(ranges), now_ms):
        pass
    return host.task.drain_changes()
