"""Run plans over an event log in memory."""

from typing import Any

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import EventSink
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology import Topology


def memory_ports(log: MemoryEventLog, *, codecs: Codecs | None = None, sink: EventSink | None = None) -> RunPorts:
    """Return ports in memory; results are written to the log itself unless there is a `sink`."""
    return RunPorts(log, sink or MemoryEventSink(log), codecs or JsonCodecs(), MemoryStateStores())


def run_plan(topology: Topology, log: MemoryEventLog, *, codecs: Codecs | None = None, **options: Any) -> RunPlan:
    """Return the plan of the application `app`, with these fields of RunOptions."""
    return RunPlan.of(topology, memory_ports(log, codecs=codecs), RunOptions(**{"application_id": "app", **options}))


def all_records(log: MemoryEventLog, topic: str) -> list[LogRecord]:
    """Return the records of a topic, partition by partition; none if there is no such topic."""
    if topic not in log.topics():
        return []
    return [
        record
        for partition in range(log.partitions(topic))
        for batch in log.read(topic, partition, 0, log.end_offset(topic, partition))
        for record in batch
    ]
