"""Runs in memory over a memory log, and what they have written."""

from collections.abc import Callable
from typing import Any

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Topology, TopologyBuilder
from tests.runtime.plans import memory_ports


def run_of(topology: Topology, log: MemoryEventLog, **options: Any) -> MemoryRun:
    defaults = {"application_id": "app", "emit": "every-update", "trigger_interval_ms": 0, "new_topic_partitions": 1}
    return MemoryRun(topology, memory_ports(log), RunOptions(**{**defaults, **options}), MemoryClock())


def values(log: MemoryEventLog, topic: str, partition: int = 0) -> list[bytes | None]:
    return [record.value for batch in log.read(topic, partition, 0, log.end_offset(topic, partition)) for record in batch]


def built(define: Callable[[TopologyBuilder], object]) -> Topology:
    builder = TopologyBuilder()
    define(builder)
    return builder.build()


def merged(builder: TopologyBuilder) -> None:
    builder.stream("a", key=str, value=str).merge(builder.stream("b", key=str, value=str)).to("out")


def fill(log: MemoryEventLog, topic: str, *records: tuple[bytes, int, int]) -> None:
    """Create a topic with these values, timestamps and arrival numbers."""
    log.create_topic(topic, 1)
    for value, timestamp, arrival in records:
        log.append(topic, b"k", value, timestamp, arrival=arrival)
