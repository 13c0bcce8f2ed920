"""A task host over a log in memory, to run batch by batch."""

from collections.abc import Callable
from typing import Any

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.task.host import TaskHost
from eddyline.application.topology import TopologyBuilder
from tests.runtime.outlets import ListOutlet
from tests.runtime.plans import run_plan

PARTITION = 1


class Host:
    """A host of a task of partition 1, over a log whose topics have two partitions."""

    def __init__(
        self,
        define: Callable[[TopologyBuilder], object],
        *,
        sub_topology: int = 0,
        log: MemoryEventLog | None = None,
        **options: Any,
    ) -> None:
        builder = TopologyBuilder()
        define(builder)
        topology = builder.build()
        self.log, self.outlet = log or MemoryEventLog(), ListOutlet()
        for spec in topology.source_topics:
            self.log.create_topic(spec.name, 2)
        plan = run_plan(topology, self.log, **{"emit": "every-update", **options})
        self.host = TaskHost(plan, sub_topology, PARTITION, self.outlet, now_ms=1_000)

    def append(
        self,
        topic: str,
        value: bytes,
        timestamp: int = 0,
        *,
        arrival: int | None = None,
        headers: Headers = (),
        error: str | None = None,
    ) -> None:
        """Append a record with the key `k` to partition 1 of a topic."""
        if topic not in self.log.topics():
            self.log.create_topic(topic, 2)
        self.log.append(topic, b"k", value, timestamp, headers, partition=PARTITION, arrival=arrival, error=error)

    def run(self, *offsets: OffsetRange, now_ms: int = 1_000, repartitioned: Any = None) -> list[bytes | None]:
        """Process a batch; return the values that it sent to the topic `out`."""
        sent = len(self.out)
        sources = {source: [records] for source, records in (repartitioned or {}).items() if records}
        for _ in self.host.run(TaskInput(list(offsets), sources), now_ms):
            pass
        return self.out[sent:]

    @property
    def out(self) -> list[bytes | None]:
        return self.outlet.values("out")

    def all_of(self, *topics: str) -> list[OffsetRange]:
        """Return the ranges of all records in partition 1 of the topics."""
        return [OffsetRange(topic, PARTITION, 0, self.log.end_offset(topic, PARTITION)) for topic in topics]


def received(value: bytes, timestamp: int, arrival: int | None = None, *, headers: Headers = ()) -> LogRecord:
    """Return a record of the topic `moved-repartition` with the key `k`, as another task sends it."""
    return LogRecord("moved-repartition", PARTITION, 0, timestamp, b"k", b'"%s"' % value, headers, arrival)


def merged(builder: TopologyBuilder) -> None:
    builder.stream("left", key=str, value=str).merge(builder.stream("right", key=str, value=str)).to("out")
