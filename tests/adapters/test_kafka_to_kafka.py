"""Flows from Kafka to Kafka with Avro on Spark, created by the container as in production."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.container import Container
from eddyline.adapters.kafka.groups.committed_offsets import group_offsets
from eddyline.adapters.market.daily_prices import daily_prices
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.registry import Registry
from eddyline.adapters.settings import Settings
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.samples.catalogue import SIMULATORS, find_flow
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.application.topology import Topology
from eddyline.application.topology.graph import with_version
from eddyline.application.topology.nodes import SourceNode
from eddyline.application.topology.sub_topologies import split_into_sub_topologies
from eddyline.domain.trading import common_days

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

EVENTS = 300


def simulated(flow: str) -> Iterable[SimulatedEvent]:
    if flow != "stock-stats":
        (simulator,) = (simulator for simulator in SIMULATORS if simulator.name == flow)
        return islice(simulator.generate(seed=1), EVENTS)
    prices = common_days(daily_prices(), start=None, days=1)
    trades = Simulation(trades_per_day=EVENTS // len(prices)).trades(prices)
    return (SimulatedEvent("trades", *trade) for trade in trades)


def with_own_topics(topology: Topology, suffix: str) -> Topology:
    """Return the topology with this suffix on all of its topics, source topics included."""
    nodes = tuple(
        replace(node, topic=f"{node.topic}-{suffix}") if isinstance(node, SourceNode) and not node.repartition else node
        for node in with_version(topology, suffix).nodes
    )
    return Topology(nodes, topology.store_specs, split_into_sub_topologies(nodes, topology.store_specs))


@pytest.fixture
def suffix() -> str:
    """Makes the names of a test unique."""
    return uuid.uuid4().hex[:12]


@pytest.fixture
def container(kafka_broker: Broker, schema_registry: Registry, tmp_path: Path, suffix: str) -> Iterator[Container]:
    settings = Settings.load(
        {
            "log": "kafka",
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "schema.registry.url": schema_registry.url,
            "default.value.codec": "avro",
            f"value.codecs.logs-{suffix}": "json",
            f"key.codecs.stock-stats-{suffix}": "avro",
            f"window.size.ms.stock-stats-{suffix}": 5_000,
            "state.dir": str(tmp_path),
            "emit": "every-update",
            "trigger.interval.ms": 0,
            "num.partitions": 2,
        }
    )
    container = Container(settings=settings)
    yield container
    container.log().close()
    container.sink().close()


def write(container: Container, topology: Topology, events: Iterable[SimulatedEvent], suffix: str) -> None:
    """Create the source topics of the flow, and write events to them."""
    codecs, types = container.codecs(), {spec.name: spec.value_type for spec in topology.source_topics}
    for topic in types:
        container.sink().create_topic(topic, 2)
    records = []
    for event in events:
        topic = f"{event.topic}-{suffix}"
        key = codecs.for_key(topic, str).encode(event.key)
        records.append(
            SinkRecord(topic, key, codecs.for_value(topic, codec_type(types[topic])).encode(event.value), event.timestamp)
        )
    assert records
    container.sink().write(suffix, 0, 0, records)


def updates(log: EventLog, container: Container, topology: Topology) -> dict[tuple[str, Any], list[Any]]:
    """Return the timestamps and values of the results in order, by topic and key."""
    found: dict[tuple[str, Any], list[Any]] = {}
    for spec in topology.sink_topics:
        key = container.codecs().for_key(spec.name, codec_type(spec.key_type))
        value = container.codecs().for_value(spec.name, codec_type(spec.value_type))
        for number in range(log.partitions(spec.name)):
            for batch in log.read(spec.name, number, log.beginning_offset(spec.name, number), log.end_offset(spec.name, number)):
                for record in batch:
                    update = (record.timestamp, value.decode(record.value))
                    found.setdefault((spec.name, key.decode(record.key)), []).append(update)
    return found


@pytest.mark.parametrize(
    "flow",
    [
        "stock-stats",
        "clickstream",
        *(pytest.param(flow, marks=pytest.mark.slow) for flow in ("word-count", "fb-notifications", "inventory", "log-triage")),
    ],
)
def test_a_flow_on_spark_emits_the_same_results_as_in_memory(
    container: Container, spark: SparkSession, tmp_path: Path, flow: str, suffix: str
) -> None:
    topology = with_own_topics(find_flow(flow).topology(), suffix)
    write(container, topology, simulated(flow), suffix)
    results = MemoryEventLog()
    in_memory = MemoryRun(
        topology,
        RunPorts(container.log(), MemoryEventSink(results), container.codecs(), MemoryStateStores()),
        RunOptions(application_id=f"{flow}-{suffix}-in-memory", emit="every-update", new_topic_partitions=2),
        MemoryClock(0),
    )
    in_memory.run_available_now()
    expected = updates(results, container, topology)
    assert expected

    application_id = f"{flow}-{suffix}"
    engine = container.spark_engine(
        topology,
        options=container.options(application_id=application_id),
        checkpoint_dir=tmp_path / application_id,
        session=spark,
    )
    report = engine.run_available_now()
    assert updates(container.log(), container, topology) == expected
    assert report.dead_letters == 0
    partitions = [(spec.name, number) for spec in topology.source_topics for number in range(2)]
    end_offsets = {partition: container.log().end_offset(*partition) for partition in partitions}
    assert group_offsets(container.kafka_settings(), application_id, partitions) == end_offsets
