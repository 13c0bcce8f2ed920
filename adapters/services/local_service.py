"""The common part of the services: one process with a port, a data folder and a log."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.errors import ServiceStartError
from eddyline.adapters.services.java import find_java
from eddyline.adapters.services.processes import ServiceProcess, free_port


class LocalService(ABC):
    """A service on the loopback address. It keeps its port and its data when it is restarted.

    Args:
        artifacts: The programs of the services.
        data: The folder for the data and the log.
        port: The port that clients connect to; None chooses a free one.
        detached: Whether the service keeps running after this process ends.
        java_options: More options of Java.
    """

    name: ClassVar[str]
    java_version: ClassVar[int]
    """The least major version of Java that the service runs on."""

    def __init__(
        self,
        artifacts: Artifacts,
        data: Path,
        *,
        port: int | None = None,
        detached: bool = False,
        java_options: Sequence[str] = (),
    ) -> None:
        self._artifacts = artifacts
        self._data = data.resolve()
        self._port = port or free_port()
        self._detached = detached
        self._java_options = java_options
        self._process: ServiceProcess | None = None

    @classmethod
    def java(cls) -> Path:
        """Return the Java runtime of the service. Raises MissingToolError."""
        return find_java(cls.java_version, f"the {cls.name}")

    @property
    @abstractmethod
    def address(self) -> str:
        """The address for the configuration of clients."""

    @property
    def port(self) -> int:
        """The port that clients connect to."""
        return self._port

    @property
    def pid(self) -> int:
        """The process id. Raises ServiceStartError if the service was not started."""
        if self._process is None:
            raise ServiceStartError(f"the {self.name} was not started")
        return self._process.pid

    @property
    def log(self) -> Path:
        """The log file of the service."""
        return self._data / f"{self.name}.log"

    @abstractmethod
    def start(self) -> None:
        """Start the service and wait until it is ready.

        Raises:
            MissingToolError: Maven or Java is missing.
            DownloadError: the program could not be downloaded.
            ServiceStartError: the service did not become ready.
        """

    def stop(self) -> None:
        """Shut the service down; it can be started again with the same data."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def kill(self) -> None:
        """Kill the process, as in a crash; the service can be started again with the same data."""
        if self._process is not None:
            self._process.kill()
            self._process = None
