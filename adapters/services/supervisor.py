"""Brings the services of a folder up, tells how they do and takes them down, over several runs of the program."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.errors import ServiceError
from eddyline.adapters.services.kafka_probe import knows_a_broker
from eddyline.adapters.services.processes import birth_of, free_port, is_free, stop_process
from eddyline.adapters.services.registry import Registry, answers


class Service(StrEnum):
    """The services there are."""

    BROKER = "broker"
    REGISTRY = "registry"


class Condition(StrEnum):
    """How a service does: it serves, its process runs without answering, or there is no process."""

    SERVING = "serving"
    NOT_ANSWERING = "not answering"
    DOWN = "down"


@dataclass(frozen=True)
class ServiceStatus:
    """One service: `address` is what clients are told (empty when it never ran), `log` the file of its own messages."""

    service: Service
    condition: Condition
    address: str = ""
    pid: int | None = None
    log: str = ""


@dataclass(frozen=True)
class _Entry:
    pid: int
    born: str
    port: int
    address: str
    log: str


class Supervisor:
    """The services that keep their parts, data and process numbers in `folder`; they outlive the program that starts them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._artifacts = Artifacts(self._folder / "parts")
        self._register = self._folder / "services.json"

    def up(
        self,
        services: Iterable[Service],
        *,
        ports: dict[Service, int] | None = None,
        tell: Callable[[str], None] = lambda _line: None,
    ) -> list[ServiceStatus]:
        """Starts those that do not run and returns how they do.

        A service gets the port in `ports`; without one its last port when that is free, else any free one.
        `tell` gets a line before each step that takes time. Raises ServiceError.
        """
        for service in services:
            if self._status(service).condition is Condition.DOWN:
                tell(f"starting the {service}")
                self._start(service, (ports or {}).get(service))
        return self.status()

    def down(self, services: Iterable[Service]) -> list[ServiceStatus]:
        """Ends those that run, keeps their data, and returns how all do."""
        for service in services:
            status = self._status(service)
            if status.pid is not None:
                stop_process(status.pid)
        return self.status()

    def status(self) -> list[ServiceStatus]:
        """How every service does."""
        return [self._status(service) for service in Service]

    def _start(self, service: Service, wanted_port: int | None) -> None:
        port = self._choose_port(service, wanted_port)
        entry: _Entry
        if service is Service.BROKER:
            broker = Broker(self._artifacts, self._folder / "broker", port=port, outlives=True)
            broker.start()
            entry = _Entry(broker.pid, birth_of(broker.pid) or "", port, broker.bootstrap_servers, str(broker.log))
        else:
            registry = Registry(self._artifacts, self._folder / "registry", port=port, outlives=True)
            registry.start()
            entry = _Entry(registry.pid, birth_of(registry.pid) or "", port, registry.url, str(registry.log))
        self._register.write_text(json.dumps({**self._entries_as_json(), service.value: asdict(entry)}, indent=2))

    def _choose_port(self, service: Service, wanted: int | None) -> int:
        if wanted is not None:
            if not is_free(wanted):
                raise ServiceError(
                    f"port {wanted} of 127.0.0.1 is taken: choose another for the {service}, or none for a free one"
                )
            return wanted
        last = self._entry(service)
        return last.port if last is not None and is_free(last.port) else free_port()

    def _status(self, service: Service) -> ServiceStatus:
        entry = self._entry(service)
        if entry is None:
            return ServiceStatus(service, Condition.DOWN)
        if birth_of(entry.pid) != entry.born:
            return ServiceStatus(service, Condition.DOWN, entry.address, None, entry.log)
        serving = knows_a_broker("127.0.0.1", entry.port) if service is Service.BROKER else answers(entry.port)
        return ServiceStatus(
            service, Condition.SERVING if serving else Condition.NOT_ANSWERING, entry.address, entry.pid, entry.log
        )

    def _entry(self, service: Service) -> _Entry | None:
        found = self._entries_as_json().get(service.value)
        return _Entry(**found) if found else None

    def _entries_as_json(self) -> dict[str, dict[str, Any]]:
        if not self._register.exists():
            return {}
        content: dict[str, dict[str, Any]] = json.loads(self._register.read_text())
        return content
