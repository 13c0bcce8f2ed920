"""No record ends a sample flow: hostile records become dead letters, are dropped, or are processed like all others."""

from collections import Counter
from itertools import zip_longest
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import reason_in
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.samples.catalogue import FLOWS, find_flow
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import InProcessRun
from tests.adapters.spark.running import Workspace
from tests.runtime.plans import all_records, memory_ports
from tests.samples.hostile import TIMESTAMPS, hostile_records, log_of, mixed, valid_values

NAMES = [flow.name for flow in FLOWS]
_HOSTILE_RECORDS = 150


def run_in_memory(topology: Topology, log: MemoryEventLog, **options: Any) -> MemoryRun:
    given: dict[str, Any] = {"application_id": "app", "emit": "every-update", "new_topic_partitions": 1, **options}
    run = MemoryRun(topology, memory_ports(log), RunOptions(**given), MemoryClock(10_000))
    run.run_available_now()
    return run


def contents(records: list[LogRecord]) -> Counter[tuple[bytes | None, bytes | None, int]]:
    return Counter((record.key, record.value, record.timestamp) for record in records)


@pytest.mark.parametrize("name", NAMES)
def test_a_flow_goes_on_with_each_hostile_record_by_default(name: str) -> None:
    topology = find_flow(name).topology()
    records = [*valid_values(name, 60), *hostile_records(name)]
    run = run_in_memory(topology, log_of(topology, records))
    undecodable = sum(count for (_, reason), count in run.report.drops.items() if reason == "undecodable")
    assert undecodable == run.report.dead_letters > 0
    assert run.report.records > 0


@pytest.mark.parametrize("name", NAMES)
def test_what_is_accepted_survives_being_stored_and_both_engines_agree(name: str) -> None:
    topology = find_flow(name).topology()
    records = mixed(name, seed=NAMES.index(name), most=_HOSTILE_RECORDS)
    on_spark = InProcessRun(topology, log_of(topology, records)).run(max_batch_records=200, cache_loss_rate=1.0)
    log = log_of(topology, records)
    in_memory = run_in_memory(topology, log)
    assert on_spark.report.dead_letters == in_memory.report.dead_letters
    if len(topology.source_topics) == 1:  # the order across topics depends on the batches
        for topic in in_memory.report.written:
            assert contents(on_spark.results(topic)) == contents(all_records(log, topic)), topic


@pytest.mark.parametrize("name", NAMES)
def test_records_that_are_rejected_leave_no_trace_in_the_results(name: str) -> None:
    topology = find_flow(name).topology()
    good = valid_values(name, 60)
    hostile = hostile_records(name)
    alone = log_of(topology, hostile)
    run_in_memory(topology, alone)
    letters = all_records(alone, "app-dead-letters")
    rejected = {(reason_in(letter.headers).topic, letter.key, letter.value) for letter in letters}
    records = [record for record in mixed(name, seed=2, most=_HOSTILE_RECORDS) if record[:3] in rejected]
    log, without = log_of(topology, interleaved(good, records)), log_of(topology, good)
    run = run_in_memory(topology, log)
    run_in_memory(topology, without)
    assert run.report.dead_letters >= len(records) > 0
    for spec in topology.sink_topics:
        assert contents(all_records(log, spec.name)) == contents(all_records(without, spec.name)), spec.name


@pytest.mark.parametrize("name", NAMES)
def test_numbers_that_no_float_holds_do_not_reach_the_results(name: str) -> None:
    topology = find_flow(name).topology()
    quoted = (b'"NaN"', b'"Infinity"')
    unwritable = [
        record
        for record in hostile_records(name)
        if any(text in (record.value or b"") for text in (b"1e400", b"NaN", b"Infinity"))
        and not any(text in (record.value or b"") for text in quoted)
    ]
    log = log_of(topology, interleaved(valid_values(name, 60), unwritable))
    run_in_memory(topology, log)
    for spec in topology.sink_topics:
        assert not [one.value for one in all_records(log, spec.name) if b"Infinity" in (one.value or b"")], spec.name


def interleaved(some: list[SinkRecord], others: list[SinkRecord]) -> list[SinkRecord]:
    return [record for pair in zip_longest(some, others) for record in pair if record is not None]


@pytest.mark.parametrize("timestamp", [at for at in TIMESTAMPS if at < 0 or at > 1 << 62])
def test_a_timestamp_that_no_window_can_have_is_dropped_and_counted(timestamp: int) -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).group_by_key().count().to_stream().to("out")
    topology = builder.build()
    log = log_of(topology, [SinkRecord("in", b"k", b"v", timestamp), SinkRecord("in", b"k", b"v", 1)])
    run = run_in_memory(topology, log)
    assert dict(run.report.drops) == {("in", "invalid-timestamp"): 1}
    assert [record.value for record in all_records(log, "out")] == [b"1"]


@pytest.mark.spark
def test_many_hostile_records_in_one_query_on_spark(spark: SparkSession, tmp_path: Any) -> None:
    name = "top-movers"
    topology = find_flow(name).topology()
    records = mixed(name, seed=1, most=_HOSTILE_RECORDS)
    workspace = Workspace(tmp_path)
    by_topic: dict[str, list[SinkRecord]] = {spec.name: [] for spec in topology.source_topics}
    for record in records:
        by_topic[record.topic].append(record._replace(partition=0))
    for topic, of_topic in by_topic.items():
        workspace.append(topic, 1, of_topic)
    report = workspace.engine(topology, spark, emit="every-update", max_batch_records=150).run_available_now()
    memory = run_in_memory(topology, log_of(topology, records))
    assert report.dead_letters == memory.report.dead_letters
    assert workspace.engine(topology, spark, emit="every-update").run_available_now().records == 0
