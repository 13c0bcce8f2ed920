"""A run that reads all topics of a broker that match a pattern."""

import re

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.topology import TopologyBuilder
from tests.adapters.kafka.conftest import Write


def test_a_topic_that_appears_during_a_run_is_read_from_its_beginning(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    builder = TopologyBuilder()
    builder.stream(re.compile(f"{name}-.*"), key=str, value=str).to("out")
    results = MemoryEventLog()
    results.create_topic("out", 1)
    run = MemoryRun(
        builder.build(),
        RunPorts(log, MemoryEventSink(results), JsonCodecs(), MemoryStateStores()),
        RunOptions(application_id=name),
        MemoryClock(),
    )
    topics.create(f"{name}-app", 1)
    write(f"{name}-app", [b"a", b"b"])
    assert run.run_available_now().records == 2
    topics.create(f"{name}-db", 2)
    write(f"{name}-db", [b"c"], partition=1)
    assert run.run_available_now().records == 3
    assert [record.value for batch in results.read("out", 0, 0, 3) for record in batch] == [b"a", b"b", b"c"]
