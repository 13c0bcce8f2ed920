"""A run over every event log: records are not skipped when partitions appear, or topics are created again."""

from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.log_identity import LogMismatchError
from eddyline.application.topology import TopologyBuilder
from tests.ports.environments import Environment, values


def run_of(environment: Environment, topic: str, **options: Any) -> MemoryRun:
    """Return a run that copies a topic."""
    builder = TopologyBuilder()
    builder.stream(topic, key=str, value=str).to(f"{topic}-copy")
    ports = RunPorts(environment.log(), environment.sink(), JsonCodecs(), MemoryStateStores())
    run_options = RunOptions(**{"application_id": "app", "new_topic_partitions": 1, "trigger_interval_ms": 0, **options})
    return MemoryRun(builder.build(), ports, run_options, MemoryClock())


def write(environment: Environment, topic: str, batch: int, *texts: bytes, partition: int = 0) -> None:
    records = [SinkRecord(topic, None, text, 5, partition=partition) for text in texts]
    environment.sink().write(f"writer-{topic}", 0, batch, records)


@pytest.mark.parametrize("order", ["timestamp", "arrival"])
def test_a_partition_that_appears_while_a_flow_runs_is_read_from_its_beginning(environment: Environment, order: str) -> None:
    topic = environment.new_topic()
    write(environment, topic, 0, b"a", b"b")
    run = run_of(environment, topic, order=order)
    run.run_available_now()
    environment.add_partitions(topic, 3)
    write(environment, topic, 1, b"c", b"d", partition=2)
    write(environment, topic, 2, b"e")
    run.run_available_now()
    assert sorted(values(environment.log(), f"{topic}-copy")) == [b"a", b"b", b"c", b"d", b"e"]  # type: ignore[type-var]
    assert run.report.records == 5


def test_a_topic_that_is_created_again_while_a_flow_runs_ends_the_run(environment: Environment) -> None:
    topic = environment.new_topic()
    write(environment, topic, 0, b"a", b"b")
    run = run_of(environment, topic, auto_offset_reset="earliest")
    run.run_available_now()
    environment.delete_topic(topic)
    environment.sink().create_topic(topic, 1)
    write(environment, topic, 1, b"c", b"d", b"e")
    with pytest.raises(LogMismatchError, match=f"topic '{topic}' with id"):
        run.run_available_now()
    assert values(environment.log(), f"{topic}-copy") == [b"a", b"b"]
