"""The environment in which an operator runs flows: a folder with their state, and topics in files or on Kafka."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.cli.main import run
from eddyline.adapters.cli.requests import requested
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.adapters.container import Container
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.settings import Settings
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import wait_until_settled
from tests.fixtures.commands import Outcome


class Environment:
    """The commands and topics of one scenario; `outcome` is that of the last command.

    Topics are in files until `bootstrap_servers` is set. Flows run on Spark if there is a session, on `engine` otherwise.
    """

    def __init__(
        self, folder: Path, capture: pytest.CaptureFixture[str], session: SparkSession | None, engine: str = "memory"
    ) -> None:
        self._engine_name = engine
        self.outcome = Outcome(0, "", "")
        self.bootstrap_servers: str | None = None
        self._folder, self._capture, self._session = folder, capture, session
        self._writer, self._batches = f"test-{uuid.uuid4().hex}", 0
        self._running: SparkEngine | None = None

    def write(self, topic: str, records: list[tuple[str | None, str, int]]) -> None:
        """Write records (key, value, timestamp) to a topic with one partition."""
        sink = self._container().sink()
        sink.create_topic(topic, 1)
        batch = [SinkRecord(topic, None if key is None else key.encode(), value.encode(), at) for key, value, at in records]
        sink.write(self._writer, 0, self._batches, batch)
        self._batches += 1
        self.settle(topic)

    def records(self, topic: str) -> list[LogRecord]:
        """Return the records of a topic; none if it does not exist."""
        log = self._container().log()
        if topic not in log.topics():
            return []
        self.settle(topic)
        return [
            record
            for number in range(log.partitions(topic))
            for batch in log.read(topic, number, log.beginning_offset(topic, number), log.end_offset(topic, number))
            for record in batch
        ]

    def settle(self, *topics: str) -> None:
        """Wait until Kafka shows all records that were written."""
        for topic in topics if self.bootstrap_servers else ():
            wait_until_settled(self.kafka, topic)

    def run(self, flow: str, *options: str) -> None:
        """Run a flow until it has processed all available records."""
        if self._session is None:
            self.command("run", flow, "--engine", self._engine_name, "--available-now", "--create-topics", *options)
        else:
            self._engine(flow, *options).run_available_now()

    def start(self, flow: str) -> None:
        """Start a flow on Spark; it runs until `stop`."""
        self._running = self._engine(flow)
        self._running.start()

    def stop(self) -> None:
        """Stop the flow that is running, if there is one."""
        if self._running is not None:
            self._running.stop()

    def compare(self, first: str, second: str, *options: str) -> None:
        """Compare two topics; whether they agree is the exit code."""
        self.command("compare", first, second, *options, code=None)

    def command(self, *words: str, code: int | None = 0) -> None:
        """Run a command, which is expected to end with this exit code; None for any."""
        options = ["--data-dir", str(self._folder / "data"), "--set", "num.partitions=1"]
        if self.bootstrap_servers:
            options += ["--log", "kafka", "--bootstrap-servers", self.bootstrap_servers]
        exit_code = run([*words, *options])
        self.outcome = Outcome(exit_code, *self._capture.readouterr())
        assert code in {None, exit_code}, self.outcome

    @property
    def kafka(self) -> KafkaSettings:
        assert self.bootstrap_servers is not None
        return KafkaSettings({"bootstrap.servers": self.bootstrap_servers})

    def _engine(self, flow: str, *options: str) -> SparkEngine:
        assignments = [option for option in options if "=" in option]
        version = options[options.index("--version") + 1] if "--version" in options else None
        request = requested(flow, assignments, version=version, **self._settings())
        container = Container(settings=request.settings)
        ensure_topics(request, container)
        engine: SparkEngine = container.spark_engine(
            request.topology,
            options=container.options(application_id=request.application_id),
            checkpoint_dir=request.settings.state_dir / request.application_id,
            session=self._session,
        )
        return engine

    def _container(self) -> Container:
        settings = {name.replace("_", "."): value for name, value in self._settings().items()}
        return Container(settings=Settings.load(settings))

    def _settings(self) -> dict[str, Any]:
        settings = {"data_dir": self._folder / "data", "num_partitions": 1, "create_topics": True, "trigger_interval_ms": 100}
        kafka = {"log": "kafka", "bootstrap_servers": self.bootstrap_servers}
        return {**settings, **kafka} if self.bootstrap_servers else settings
