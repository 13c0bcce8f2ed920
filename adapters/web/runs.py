"""The runs beside which a server answers: that of one flow, or those of the flows of a service."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from eddyline.adapters.web.problems import ProblemError
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.monitoring.run_status import RunStatus


@dataclass(frozen=True)
class Runs:
    """The runs of a server.

    Attributes:
        monitors: The monitor of each run.
        service: The name of the service whose flows run, None for the run of one flow.
    """

    monitors: Sequence[RunMonitor] = ()
    service: str | None = None

    def snapshots(self) -> list[RunStatus]:
        """Return the status of each run.

        Raises:
            ProblemError: The server has no runs.
        """
        if not self.monitors:
            detail = (
                "this server follows changelogs, and the flow runs elsewhere; ask the server that 'eddyline run --serve' starts, "
                "or GET /stores, which has the lag, the stream time and the records per second of each store"
            )
            raise ProblemError(HTTPStatus.NOT_FOUND, "no-run", detail)
        return [monitor.snapshot() for monitor in self.monitors]

    def of(self, name: str) -> RunStatus:
        """Return the status of the run of a flow, by its name or its application id.

        Raises:
            ProblemError: The server has no such run.
        """
        found = self.snapshots()
        for status in found:
            if name == status.application_id:
                return status
        named = [status for status in found if name == status.flow]
        if len(named) == 1:
            return named[0]
        names = [status.application_id for status in found]
        problem = "several versions run of flow" if named else "this server runs no flow"
        detail = f"{problem} '{name}'; choose one of: {', '.join(map(repr, names))}"
        raise ProblemError(HTTPStatus.NOT_FOUND, "unknown-run", detail, choices=names)

    def failing(self) -> dict[str, str]:
        """Return why the runs do not work that have failed, or fail again and again, by application."""
        found = [monitor.snapshot() for monitor in self.monitors]
        return {status.application_id: status.problem or "failed" for status in found if not status.is_healthy}

    def stopping(self) -> None:
        """Note that the runs will end."""
        for monitor in self.monitors:
            monitor.stopping()


NO_RUNS: Final = Runs()
