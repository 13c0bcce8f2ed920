"""Starts and stops services that keep running between runs of the program, and reports their state."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.errors import ServiceError
from eddyline.adapters.services.kafka_probe import is_broker_ready
from eddyline.adapters.services.local_service import LocalService
from eddyline.adapters.services.processes import free_port, is_free, start_time_of, stop_process
from eddyline.adapters.services.registry import Registry, is_registry_ready

_MAX_PORT = 65_535


class Service(StrEnum):
    """The available services."""

    BROKER = "broker"
    REGISTRY = "registry"


_PROGRAMS: Final[Mapping[Service, type[LocalService]]] = {Service.BROKER: Broker, Service.REGISTRY: Registry}


class Condition(StrEnum):
    """The state of a service: it serves requests, its process runs without responding, or it has no process."""

    SERVING = "serving"
    NOT_RESPONDING = "not responding"
    DOWN = "down"


@dataclass(frozen=True)
class ServiceStatus:
    """The status of one service.

    Attributes:
        service: The service.
        condition: Its state.
        address: The address for clients; empty if the service was never started.
        pid: The process id; None if the service has no process.
        log: The path of the log file; empty if the service was never started.
    """

    service: Service
    condition: Condition
    address: str = ""
    pid: int | None = None
    log: str = ""


@dataclass(frozen=True)
class _Entry:
    """A started service in services.json; `born` is the start time of its process."""

    pid: int
    born: str
    port: int
    address: str
    log: str


class Supervisor:
    """The services of one folder, which contains their programs, data, logs and process ids."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._artifacts = Artifacts(self._folder / "parts")
        self._entries_file = self._folder / "services.json"

    def up(
        self,
        services: Iterable[str],
        *,
        ports: Mapping[str, int | None] | None = None,
        report: Callable[[str], None] = lambda _line: None,
    ) -> list[ServiceStatus]:
        """Start the services that are down.

        Args:
            services: The services to start, by name.
            ports: The ports to use, by name. A service without one gets its last port if that is free, otherwise any free port.
            report: Called with one line before each step that takes time.

        Returns:
            The status of all services.

        Raises:
            ServiceError: a service could not be started.
        """
        down = [service for service in map(Service, services) if self._status(service).condition is Condition.DOWN]
        for service in down:
            _PROGRAMS[service].java()  # before anything is downloaded or started
        for service in down:
            report(f"starting the {service}")
            self._start(service, (ports or {}).get(service))
        return self.status()

    def down(self, services: Iterable[str]) -> list[ServiceStatus]:
        """Stop the services that are running, keep their data, and return the status of all services."""
        for service in map(Service, services):
            status = self._status(service)
            if status.pid is not None:
                stop_process(status.pid)
        return self.status()

    def status(self) -> list[ServiceStatus]:
        """Return the status of all services."""
        return [self._status(service) for service in Service]

    def _start(self, service: Service, requested_port: int | None) -> None:
        port = self._choose_port(service, requested_port)
        started = _PROGRAMS[service](self._artifacts, self._folder / service, port=port, detached=True)
        started.start()
        entry = _Entry(started.pid, start_time_of(started.pid) or "", port, started.address, str(started.log))
        self._save({**self._load(), service.value: asdict(entry)})

    def _choose_port(self, service: Service, requested: int | None) -> int:
        if requested is None:
            last = self._entry(service)
            return last.port if last is not None and is_free(last.port) else free_port()
        if not 0 < requested <= _MAX_PORT:
            raise ServiceError(f"'{requested}' is not a valid port for the {service}; choose one from 1 to {_MAX_PORT}")
        if not is_free(requested):
            raise ServiceError(
                f"port {requested} on 127.0.0.1 is not available; choose another for the {service}, or none to use a free port"
            )
        return requested

    def _status(self, service: Service) -> ServiceStatus:
        entry = self._entry(service)
        if entry is None:
            return ServiceStatus(service, Condition.DOWN)
        if start_time_of(entry.pid) != entry.born:
            return ServiceStatus(service, Condition.DOWN, entry.address, None, entry.log)
        ready = is_broker_ready("127.0.0.1", entry.port) if service is Service.BROKER else is_registry_ready(entry.port)
        condition = Condition.SERVING if ready else Condition.NOT_RESPONDING
        return ServiceStatus(service, condition, entry.address, entry.pid, entry.log)

    def _entry(self, service: Service) -> _Entry | None:
        found = self._load().get(service.value)
        return _Entry(**found) if found else None

    def _load(self) -> dict[str, dict[str, Any]]:
        try:
            text = self._entries_file.read_text()
        except FileNotFoundError:
            return {}
        try:
            entries: dict[str, dict[str, Any]] = json.loads(text)
        except ValueError:
            raise ServiceError(
                f"'{self._entries_file}' is not valid JSON; stop the services by their process ids, delete it and try again"
            ) from None
        return entries

    def _save(self, entries: dict[str, dict[str, Any]]) -> None:
        draft = self._entries_file.with_name(f".{self._entries_file.name}")
        draft.write_text(json.dumps(entries, indent=2))
        draft.replace(self._entries_file)
