"""The services of `eddyline services`: a Kafka broker and a schema registry on this machine."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from eddyline.adapters.services.supervisor import Service, ServiceStatus, Supervisor


class LocalServices:
    """The services whose programs and data are in a directory, by name: `broker` and `registry`. No name means all of them."""

    def __init__(self, directory: Path) -> None:
        self._supervisor = Supervisor(directory)

    def up(
        self, names: Sequence[str], ports: Mapping[str, int | None], on_progress: Callable[[str], None]
    ) -> Sequence[ServiceStatus]:
        """Start services and return the status of all.

        Args:
            names: The services to start.
            ports: Their ports; None is the port of the last start if it is free, else any free port.
            on_progress: Called with a line of text before each step that takes time.
        """
        chosen = {Service(name): port for name, port in ports.items() if port is not None}
        return self._supervisor.up(_services(names), ports=chosen, report=on_progress)

    def down(self, names: Sequence[str]) -> Sequence[ServiceStatus]:
        """Stop services and return the status of all."""
        return self._supervisor.down(_services(names))

    def status(self) -> Sequence[ServiceStatus]:
        """Return the status of all services."""
        return self._supervisor.status()


def _services(names: Sequence[str]) -> list[Service]:
    return [Service(name) for name in names] or list(Service)
