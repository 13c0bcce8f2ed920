"""The checksums of the joins in the benchmarks are those of the flows that they measure."""

import zlib
from collections.abc import Callable

import pytest

from benchmarks.kafka_trades import PARTITIONS
from benchmarks.suite import joins
from benchmarks.suite.topologies import topology
from benchmarks.suite.workloads import Workload
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.system.clock import SystemClock
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.plan.options import RunOptions, RunPorts


def results(workload: Workload) -> list[LogRecord]:
    log = MemoryEventLog()
    for topic in (*workload.topics, "results"):
        log.create_topic(topic, PARTITIONS)
    for topic, key, value, timestamp, partition in workload.generate():
        key_bytes, chosen = str(key).encode(), partition
        if partition < 0:
            chosen = zlib.crc32(key_bytes) % PARTITIONS
        log.append(topic, key_bytes, str(value).encode(), timestamp, partition=chosen)
    flow = topology(workload.name, workload.source, "results", merge=True)
    ports = RunPorts(log, MemoryEventSink(log), JsonCodecs(), MemoryStateStores())
    MemoryRun(flow, ports, RunOptions(application_id="joins", max_batch_records=5_000), SystemClock()).run_available_now()
    return [
        record
        for partition in range(PARTITIONS)
        for batch in log.read("results", partition, 0, log.end_offset("results", partition))
        for record in batch
    ]


@pytest.mark.parametrize("workload_of", [joins.clickstream, joins.notifications])
def test_results_of_the_flow_add_up_to_the_checksum(workload_of: Callable[[int], Workload]) -> None:
    workload = workload_of(30_000)
    found = results(workload)
    assert workload.check(found) == workload.checksum
    assert workload.check(found[1:]) != workload.checksum


@pytest.mark.parametrize("workload_of", [joins.clickstream, joins.notifications])
def test_the_same_records_are_generated_in_every_run_in_the_order_of_their_times(workload_of: Callable[[int], Workload]) -> None:
    first, second = workload_of(5_000), workload_of(5_000)
    records = list(first.generate())
    assert records == list(second.generate())
    assert len(records) == first.records
    assert first.checksum == second.checksum
    assert [record.timestamp for record in records] == sorted(record.timestamp for record in records)
