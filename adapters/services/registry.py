"""An Apicurio schema registry on the loopback address."""

import http.client
from pathlib import Path

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.errors import ServiceStartError
from eddyline.adapters.services.java import find_java
from eddyline.adapters.services.processes import ServiceProcess, free_port

_JAVA_VERSION = 21
_HEAP = "256m"
_READY_S = 90.0
_PATH = "/apis/ccompat/v7"


class Registry:
    """Starts and stops one registry that keeps its data and its log in `data`.

    Port and data stay the same over restarts; `port` None chooses a free one. `outlives` as in ServiceProcess.
    """

    def __init__(self, artifacts: Artifacts, data: Path, *, port: int | None = None, outlives: bool = False) -> None:
        self._artifacts = artifacts
        self._data = data.resolve()
        self._port = port or free_port()
        self._outlives = outlives
        self._process: ServiceProcess | None = None

    @property
    def url(self) -> str:
        """The address of the interface that Confluent's registry clients speak."""
        return f"http://127.0.0.1:{self._port}{_PATH}"

    @property
    def port(self) -> int:
        """The port that clients connect to."""
        return self._port

    @property
    def pid(self) -> int:
        """The number of the registry's process. Raises ServiceStartError when it was not started."""
        if self._process is None:
            raise ServiceStartError("the registry was not started")
        return self._process.pid

    @property
    def log(self) -> Path:
        """The file that the registry's own messages go to."""
        return self._data / "registry.log"

    def start(self) -> None:
        """Starts the registry and returns when it serves. Raises MissingToolError, DownloadError, ServiceStartError."""
        java = find_java(_JAVA_VERSION)
        program = self._artifacts.registry()
        self._data.mkdir(parents=True, exist_ok=True)
        environment = {
            "QUARKUS_HTTP_HOST": "127.0.0.1",
            "QUARKUS_HTTP_PORT": str(self._port),
            "QUARKUS_MANAGEMENT_HOST": "127.0.0.1",
            "QUARKUS_MANAGEMENT_PORT": str(free_port()),
            "QUARKUS_LOG_LEVEL": "WARN",
            "APICURIO_STORAGE_KIND": "sql",
            "APICURIO_STORAGE_SQL_KIND": "h2",
            "APICURIO_DATASOURCE_URL": f"jdbc:h2:file:{self._data / 'schemas'}",
        }
        self._process = ServiceProcess(
            "registry",
            [java, f"-Xmx{_HEAP}", "-jar", program / "quarkus-run.jar"],
            log=self.log,
            environment=environment,
            outlives=self._outlives,
        )
        self._process.wait_until(lambda: answers(self._port), _READY_S)

    def stop(self) -> None:
        """Shuts the registry down in order; it may be started again with the same data."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def kill(self) -> None:
        """Ends the registry as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def answers(port: int) -> bool:
    """Whether a registry at this port of the loopback address lists its subjects."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2.0)
    try:
        connection.request("GET", f"{_PATH}/subjects")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
