"""A Kafka broker in KRaft mode on the loopback address."""

import base64
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.errors import ServiceStartError
from eddyline.adapters.services.kafka_probe import is_broker_ready
from eddyline.adapters.services.local_service import LocalService
from eddyline.adapters.services.processes import ServiceProcess, free_port

_HEAP = "512m"
_START_TIMEOUT_S = 90.0
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of Java for a program that ends before its optimizing compiler (C2) would be of use."""


class Broker(LocalService):
    """A cluster of a single broker, or one of several brokers.

    Args:
        artifacts: As for LocalService, like the arguments that are not listed here.
        settings: Additional settings of server.properties. Those of several brokers name each other.
        cluster_id: The id that brokers of one cluster have in common; by default it is random.
    """

    name = "broker"
    java_version = 17

    def __init__(
        self,
        artifacts: Artifacts,
        data: Path,
        *,
        port: int | None = None,
        settings: dict[str, str] | None = None,
        detached: bool = False,
        java_options: Sequence[str] = (),
        cluster_id: str | None = None,
    ) -> None:
        super().__init__(artifacts, data, port=port, detached=detached, java_options=java_options)
        self._controller_port = free_port()
        self._cluster_id = cluster_id or new_cluster_id()
        self._settings = settings or {}

    @property
    def address(self) -> str:
        return self.bootstrap_servers

    @property
    def bootstrap_servers(self) -> str:
        """The value of the client setting `bootstrap.servers`."""
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        java = self.java()
        jars = self._artifacts.broker()
        properties = self._data / "server.properties"
        self._data.mkdir(0o700, parents=True, exist_ok=True)
        properties.write_text("".join(f"{name}={value}\n" for name, value in self._server_properties().items()))
        program: list[str | Path] = [
            java,
            "-cp",
            f"{jars}/*",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
        ]
        if not (self._data / "log" / "meta.properties").exists():
            _format([*program, *self._java_options], properties, self._cluster_id)
        options = ("-Xms128m", f"-Xmx{_HEAP}", *self._java_options)
        self._process = ServiceProcess(
            self.name, [*program, *options, "kafka.Kafka", properties], log=self.log, detached=self._detached
        )
        self._process.wait_until(lambda: is_broker_ready("127.0.0.1", self._port), _START_TIMEOUT_S)

    def _server_properties(self) -> dict[str, str]:
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{self._controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://127.0.0.1:{self._port},CONTROLLER://127.0.0.1:{self._controller_port}",
            "log.dirs": str(self._data / "log"),
            "auto.create.topics.enable": "false",
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "4",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "transaction.state.log.num.partitions": "4",
            "group.initial.rebalance.delay.ms": "0",
            "log.cleaner.dedupe.buffer.size": "33554432",
            "log.segment.delete.delay.ms": "1000",
            "metadata.max.idle.interval.ms": "0",  # else the controller writes two records per second
            **self._settings,
        }


def _format(program: list[str | Path], properties: Path, cluster_id: str) -> None:
    command = [*program, *_SHORT_LIVED, "kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", properties]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - no part is user input
    if run.returncode != 0:
        raise ServiceStartError(
            f"the broker's data folder could not be formatted (exit code {run.returncode}):\n{run.stdout}{run.stderr}"
        )


def new_cluster_id() -> str:
    """Return a random id in Kafka's format; an id that starts with `-` would be parsed as an option."""
    while True:
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not cluster_id.startswith("-"):
            return cluster_id
