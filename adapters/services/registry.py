"""An Apicurio schema registry on the loopback address."""

import http.client

from eddyline.adapters.services.local_service import LocalService
from eddyline.adapters.services.processes import ServiceProcess, free_port

_HEAP = "256m"
_START_TIMEOUT_S = 90.0
_PATH = "/apis/ccompat/v7"


class Registry(LocalService):
    """A schema registry with the API of Confluent's Schema Registry."""

    name = "registry"
    java_version = 21

    @property
    def address(self) -> str:
        return self.url

    @property
    def url(self) -> str:
        """The value of the client setting `schema.registry.url`."""
        return f"http://127.0.0.1:{self._port}{_PATH}"

    def start(self) -> None:
        java = self.java()
        program = self._artifacts.registry()
        self._data.mkdir(0o700, parents=True, exist_ok=True)
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
            self.name,
            [java, f"-Xmx{_HEAP}", *self._java_options, "-jar", program / "quarkus-run.jar"],
            log=self.log,
            environment=environment,
            detached=self._detached,
        )
        self._process.wait_until(lambda: is_registry_ready(self._port), _START_TIMEOUT_S)


def is_registry_ready(port: int) -> bool:
    """Return whether a schema registry at this port of the loopback address lists its subjects."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2.0)
    try:
        connection.request("GET", f"{_PATH}/subjects")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
