"""A single Kafka broker in KRaft mode on the loopback address."""

import base64
import subprocess
import uuid
from pathlib import Path

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.errors import ServiceStartError
from eddyline.adapters.services.java import find_java
from eddyline.adapters.services.kafka_probe import knows_a_broker
from eddyline.adapters.services.processes import ServiceProcess, free_port

_JAVA_VERSION = 17
_HEAP = "512m"
_READY_S = 90.0


class Broker:
    """Starts and stops one broker that keeps its data in `data` and its log in `data/broker.log`.

    Port and data stay the same over restarts; `port` None chooses a free one. `settings` are further lines of
    server.properties, in Kafka's dotted names. `outlives` as in ServiceProcess.
    """

    def __init__(
        self,
        artifacts: Artifacts,
        data: Path,
        *,
        port: int | None = None,
        settings: dict[str, str] | None = None,
        outlives: bool = False,
    ) -> None:
        self._artifacts = artifacts
        self._data = data.resolve()
        self._port = port or free_port()
        self._controller_port = free_port()
        self._settings = settings or {}
        self._outlives = outlives
        self._process: ServiceProcess | None = None

    @property
    def bootstrap_servers(self) -> str:
        """What clients are told: 127.0.0.1 and the port."""
        return f"127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        """The port that clients connect to."""
        return self._port

    @property
    def pid(self) -> int:
        """The number of the broker's process. Raises ServiceStartError when it was not started."""
        if self._process is None:
            raise ServiceStartError("the broker was not started")
        return self._process.pid

    @property
    def log(self) -> Path:
        """The file that the broker's own messages go to."""
        return self._data / "broker.log"

    def start(self) -> None:
        """Formats the data folder when it is new, starts the broker and returns when it serves.

        Raises MissingToolError, DownloadError, ServiceStartError.
        """
        java = find_java(_JAVA_VERSION)
        jars = self._artifacts.broker()
        properties = self._data / "server.properties"
        self._data.mkdir(parents=True, exist_ok=True)
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
            _format(program, properties)
        self._process = ServiceProcess(
            "broker", [*program, "-Xms128m", f"-Xmx{_HEAP}", "kafka.Kafka", properties], log=self.log, outlives=self._outlives
        )
        self._process.wait_until(lambda: knows_a_broker("127.0.0.1", self._port), _READY_S)

    def stop(self) -> None:
        """Shuts the broker down in order; it may be started again with the same data."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def kill(self) -> None:
        """Ends the broker as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process = None

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
            **self._settings,
        }


def _format(program: list[str | Path], properties: Path) -> None:
    command = [*program, "kafka.tools.StorageTool", "format", "-t", _new_cluster_id(), "-c", properties]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - made here, of paths that were found
    if run.returncode != 0:
        raise ServiceStartError(
            f"the broker's data folder could not be formatted (code {run.returncode}):\n{run.stdout}{run.stderr}"
        )


def _new_cluster_id() -> str:
    """22 characters as Kafka wants them; one that begins with `-` would be taken for an option."""
    while True:
        name = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not name.startswith("-"):
            return name
