"""Moving stock statistics and inventory from the local engine to Spark and back, with topics in files and on Kafka."""

import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dependency_injector.providers import Callable
from pyspark.sql import SparkSession
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.adapters.cli.requests import Request, requested
from eddyline.adapters.cli.restoring import RestoreFrom, restore
from eddyline.adapters.container import Container
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.local.restoring import StateMismatchError
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.spark.driver.moved_state import export_state
from eddyline.application.operations.exported_state import ExportedState
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology import Topology
from tests.adapters.kafka.conftest import wait_until_settled

scenarios("operating/moving_between_engines.feature", "operating/moving_between_engines_on_kafka.feature")

TOPICS = {"stock-stats": ("trades", "stock-stats"), "inventory": ("items", "store-inventory")}
PARTS = 3


def records_of(flow: str) -> list[SinkRecord]:
    """Return the input of a flow."""
    chance, found = random.Random(1), []
    for number in range(150):
        name = chance.choice("abcd")
        trade = {"type": "ASK", "ticker": name, "price": chance.randint(1, 100), "size": 1}
        item = {"store_name": name, "sku": chance.choice("xyz"), "quantity": chance.randrange(9), "type": "RESTOCK"}
        value = trade if flow == "stock-stats" else item
        found.append(SinkRecord(TOPICS[flow][0], name.encode(), json.dumps(value).encode(), number * 97))
    return found


class Moving:
    """A flow whose state is in a folder, like its topics unless `kafka` is set; the flow that is never moved has files."""

    def __init__(self, folder: Path, session: SparkSession) -> None:
        self._folder, self._session = folder, session
        self._name = f"moving-{uuid.uuid4().hex[:8]}"
        self.flow, self._part = "", 0
        self.kafka: KafkaSettings | None = None

    def write(self, folder: str, part: int) -> None:
        records = records_of(self.flow)
        sink = self._container("local", folder)[1].sink()
        sink.create_topic(TOPICS[self.flow][0], 2)
        sink.write(f"{self._name}-input", 0, part, records[part * len(records) // PARTS : (part + 1) * len(records) // PARTS])
        self._settle(folder, TOPICS[self.flow][0])

    def go_on(self, engine: str) -> None:
        """Process the next part of the records."""
        self.write("moved", self._part)
        source: RestoreFrom | None = None if self._part == 0 else "changelog" if engine == "spark" else "checkpoint"
        self._part += 1
        request, container = self._container(engine, "moved")
        options = container.options(application_id=request.application_id, flow=request.flow)
        restore(request, container, options, source)
        self.run(request, container)

    def run(self, request: Request, container: Container) -> None:
        options = container.options(application_id=request.application_id, flow=request.flow)
        if request.settings.engine == "spark":
            container.spark_engine(
                request.topology, options=options, checkpoint_dir=request.checkpoint, session=self._session
            ).run_available_now()
        else:
            container.local_engine(request.topology, options=options).run_available_now()

    def run_unmoved(self) -> None:
        for part in range(PARTS):
            self.write("unmoved", part)
            self.run(*self._container("local", "unmoved"))

    def results(self, folder: str) -> dict[bytes | None, list[bytes | None]]:
        log, topic = self._container("local", folder)[1].log(), TOPICS[self.flow][1]
        self._settle(folder, topic)
        found: dict[bytes | None, list[bytes | None]] = {}
        for number in range(log.partitions(topic)):
            for batch in log.read(topic, number, 0, log.end_offset(topic, number)):
                for record in batch:
                    found.setdefault(record.key, []).append(record.value)
        return found

    def _settle(self, folder: str, topic: str) -> None:
        """Wait until what was written to a topic on Kafka can be read."""
        if self.kafka is not None and folder == "moved":
            wait_until_settled(self.kafka, topic)

    def _container(self, engine: str, folder: str) -> tuple[Request, Container]:
        options: dict[str, Any] = {"num_partitions": 2, "emit": "every-update", "trigger_interval_ms": 0}
        options |= {"application_id": self._name, "data_dir": self._folder / folder}
        if self.kafka is not None and folder == "moved":
            options |= {"log": "kafka", "bootstrap_servers": self.kafka.bootstrap_servers}
        request = requested(self.flow, engine=engine, **options)
        container = Container(settings=request.settings)
        container.export_state.override(Callable(self._exported))
        return request, container

    def _exported(self, folder: Path, topology: Topology, _application_id: str, _log_file: Path) -> ExportedState:
        return export_state(self._session, folder, topology)


@pytest.fixture
def moving(tmp_path: Path, spark: SparkSession) -> Moving:
    return Moving(tmp_path, spark)


ENGINES = {"the engine local": "local", "Spark": "spark"}


@pytest.fixture
def on_kafka(moving: Moving, kafka_broker: Broker) -> Iterator[Moving]:
    """Let topics be on Kafka; those of the flow, whose names are fixed, are deleted before and afterwards."""
    settings = moving.kafka = KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})
    topics = Topics(settings)
    fixed = [topic for pair in TOPICS.values() for topic in pair]
    for topic in fixed:
        topics.delete(topic)
    yield moving
    for topic in fixed:
        topics.delete(topic)


@given(parsers.parse("the topics of the flow {flow} are on Kafka"))
def topics_on_kafka(on_kafka: Moving, flow: str) -> None:
    on_kafka.flow = flow


@given(parsers.parse("the flow {flow} has processed the first of its records on the engine local"))
def begins(moving: Moving, flow: str) -> None:
    moving.flow = flow
    moving.go_on("local")


@given(parsers.parse("it has processed the first of its records on {engine_name}"))
@when(parsers.parse("it goes on with more records on {engine_name}"))
@when(parsers.parse("it goes on with the other records on {engine_name}"))
def goes_on(moving: Moving, engine_name: str) -> None:
    moving.go_on(ENGINES[engine_name])


@then("its results are those of a flow that was never moved")
def results_are_equal(moving: Moving) -> None:
    moving.run_unmoved()
    assert moving.results("moved") == moving.results("unmoved")


@then("the engine local refuses to go on with it")
def is_refused(moving: Moving) -> None:
    request, container = moving._container("local", "moved")  # noqa: SLF001 - a step of the same test
    with pytest.raises(StateMismatchError, match="was moved to the engine spark"):
        moving.run(request, container)
