"""The resettable state of alerts: how far the alert topics that a reset empties were read.

The ids of sent alerts are kept, so that no alert is sent again when the flow produces it again.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from eddyline.adapters.sqlite.errors import database_errors
from eddyline.adapters.sqlite.files import files_of
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState, counted

_POSITIONS: Final = "positions in alert topics"


class SentAlertsResettableState(ResettableState):
    """The files of sent alerts in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Check that no process is sending alerts of the topics; none is prevented from starting afterwards."""
        for path in self._files(application):
            self._count(path)
        yield

    def find(self, application: Application) -> Sequence[Artifact]:
        counts = {path: self._count(path) for path in self._files(application)}
        return [Artifact(_POSITIONS, str(path), counted(count, "partition")) for path, count in counts.items() if count]

    def remove(self, application: Application, artifact: Artifact) -> None:
        del application
        with self._opened(Path(artifact.location)) as connection, connection:
            connection.execute("DELETE FROM positions")

    def _files(self, application: Application) -> list[Path]:
        return sorted(path for topic in application.topics for path in files_of(self._folder, topic))

    def _count(self, path: Path) -> int:
        with self._opened(path) as connection:
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'positions'").fetchone() is None:
                return 0
            return int(connection.execute("SELECT count(*) FROM positions").fetchone()[0])

    @contextmanager
    def _opened(self, path: Path) -> Iterator[sqlite3.Connection]:
        in_use = ApplicationRunningError(
            f"the file of sent alerts '{path}' is in use; stop `eddyline notify` and run the reset again"
        )
        with database_errors(path, in_use), closing(sqlite3.connect(path, timeout=0)) as connection:
            yield connection
