"""On Kafka, state moves through a file from an application on one engine to one on the same or another engine."""

import json
import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.cli.requests import Request, requested
from eddyline.adapters.container import Container
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.streams.membership import KafkaMembership
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.cli.conftest import Eddyline, Outcome
from tests.adapters.kafka.conftest import eventually, wait_until_settled

FLOWS = "tests.adapters.local.moved_flows"
KEYS = "abcdef"


ROUTES = {
    "spark to local": ("spark", "local"),
    "local to spark": ("local", "spark"),
    "local to another application": ("local", "local"),
}


class Moved:
    """A flow whose topics are on Kafka or in files, and the commands that run it and move its state."""

    def __init__(self, eddyline: Eddyline, flow: str, brokers: str | None, session: Callable[[], SparkSession]) -> None:
        self._eddyline, self._flow, self._brokers, self._session = eddyline, flow, brokers, session
        self.topic = f"moved-{uuid.uuid4().hex[:8]}"
        self._file = f"{self.topic}.state"

    def produce(self, part: int) -> None:
        """Write a half of the input, in the order of its timestamps."""
        chance = random.Random(part)
        sink = Container(settings=self._request("local", "any").settings).sink()
        sink.create_topic(self.topic, 2)
        records = []
        for number in range(100):
            at, value = chance.randrange(len(KEYS)), str(chance.randrange(30)).encode()
            records.append(SinkRecord(self.topic, KEYS[at].encode(), value, 1_000 + part * 5_000 + number * 50, (), at % 2))
        sink.write(f"{self.topic}-input", 0, part, records)
        self._settle(self.topic)

    def run(self, engine: str, application_id: str) -> None:
        """Run an application to the end of the input."""
        if engine == "local":
            done = self._eddyline("run", *self._words(engine, application_id), "--create-topics", "--available-now")
            assert done.code == 0, done.err
            return
        request = self._request(engine, application_id)
        container = Container(settings=request.settings)
        options = container.options(application_id=application_id, flow=request.flow)
        at = {"checkpoint_dir": request.checkpoint, "session": self._session()}
        container.spark_engine(request.topology, options=options, **at).run_available_now()

    def export(self, engine: str, application_id: str) -> Outcome:
        """Export the state of an application."""
        return self._eddyline("state", "export", self._flow, self._file, *self._words(engine, application_id)[1:])

    def move(self, engine: str, application_id: str, to_engine: str, to_application_id: str) -> None:
        """Move the state of an application to another one, or to itself after a reset."""
        exported = self.export(engine, application_id)
        assert exported.code == 0, exported.err
        steps: list[tuple[str, ...]] = []
        if application_id == to_application_id:
            steps.append(("reset", *self._words(None, application_id), "--execute"))
        steps.append(("state", "import", self._flow, self._file, "--execute", *self._words(to_engine, to_application_id)[1:]))
        for step in steps:
            done = self._eddyline(*step)
            assert done.code == 0, done.err

    def results(self) -> dict[str, list[object]]:
        """Return the results by key, in order."""
        topic = f"{self.topic}-out"
        self._settle(topic)
        log = Container(settings=self._request("local", "any").settings).log()
        found: dict[str, list[object]] = {}
        for number in range(log.partitions(topic)):
            for batch in log.read(topic, number, 0, log.end_offset(topic, number)):
                for record in batch:
                    found.setdefault((record.key or b"").decode(), []).append(json.loads(record.value or b"null"))
        return found

    def delete(self) -> None:
        """Delete the topics."""
        if self._brokers is not None:
            topics = Topics(KafkaSettings({"bootstrap.servers": self._brokers}))
            for name in topics.names():
                if name.startswith(self.topic):
                    topics.delete(name)

    def _words(self, engine: str | None, application_id: str) -> tuple[str, ...]:
        brokers = () if self._brokers is None else ("--bootstrap-servers", self._brokers)
        of_run = (
            self._flow,
            "--flows",
            FLOWS,
            *(() if engine is None else ("--engine", engine)),
            "--application-id",
            application_id,
        )
        return (*of_run, "--set", f"topic={self.topic}", "--set", "num.partitions=2", "--data-dir", "data", *brokers)

    def _request(self, engine: str, application_id: str) -> Request:
        brokers: dict[str, Any] = {} if self._brokers is None else {"log": "kafka", "bootstrap_servers": self._brokers}
        options: dict[str, Any] = {
            "engine": engine,
            "application_id": application_id,
            "trigger_interval_ms": 0,
            "num_partitions": 2,
        }
        return requested(self._flow, [f"topic={self.topic}"], [FLOWS], data_dir=Path("data"), **options, **brokers)

    def _settle(self, topic: str) -> None:
        if self._brokers is not None:
            wait_until_settled(KafkaSettings({"bootstrap.servers": self._brokers}), topic)


@pytest.fixture
def new(eddyline: Eddyline, request: pytest.FixtureRequest) -> Iterator[Callable[[str, str | None], Moved]]:
    """Return a function that creates a flow with topics on these brokers, or in files. Those on brokers are deleted."""
    created: list[Moved] = []

    def create(flow: str, brokers: str | None) -> Moved:
        created.append(Moved(eddyline, flow, brokers, lambda: request.getfixturevalue("spark")))
        return created[-1]

    yield create
    for moved in created:
        moved.delete()


def check(new: Callable[[str, str | None], Moved], flow: str, brokers: str, route: str) -> None:
    """Run a flow whose state moves after a half of its input, and compare its results with those of an undisturbed run."""
    engine, to_engine = ROUTES[route]
    moved, plain = new(flow, brokers), new(flow, None)
    for each in (moved, plain):
        each.produce(0)
    moved.run(engine, f"{moved.topic}-app")
    plain.run("local", "plain")
    to_application_id = f"{moved.topic}-{'other' if engine == to_engine else 'app'}"
    moved.move(engine, f"{moved.topic}-app", to_engine, to_application_id)
    for each in (moved, plain):
        each.produce(1)
    moved.run(to_engine, to_application_id)
    plain.run("local", "plain")
    assert moved.results() == plain.results()


@pytest.mark.parametrize(
    ("flow", "route"),
    [
        pytest.param("windows", "spark to local", marks=pytest.mark.slow),
        ("timers", "local to spark"),
        pytest.param("timers", "local to another application", marks=pytest.mark.slow),
    ],
)
def test_the_results_are_those_of_an_undisturbed_run(
    new: Callable[[str, str | None], Moved], kafka_broker: Broker, spark: SparkSession, flow: str, route: str
) -> None:
    del spark
    check(new, flow, kafka_broker.bootstrap_servers, route)


@pytest.mark.slow
@pytest.mark.parametrize(("flow", "route"), [("windows", "local to another application"), ("windows", "local to spark")])
def test_the_results_are_those_of_an_undisturbed_run_of_the_other_flow(
    new: Callable[[str, str | None], Moved], kafka_broker: Broker, spark: SparkSession, flow: str, route: str
) -> None:
    del spark
    check(new, flow, kafka_broker.bootstrap_servers, route)


def test_the_state_of_an_application_that_runs_is_not_exported(
    new: Callable[[str, str | None], Moved], kafka_broker: Broker
) -> None:
    moved = new("timers", kafka_broker.bootstrap_servers)
    moved.produce(0)
    settings = KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})
    process = KafkaMembership(settings, moved.topic, moved.topic, lambda _numbers: None)
    eventually(lambda: bool(process.held()))
    refused = moved.export("local", moved.topic)
    assert refused.code == 1
    assert f"'{moved.topic}' is running: group '{moved.topic}'" in refused.err
    process.close()
