"""How far the alerts of a topic were told, where the topic's records are to go.

What was told stays noted, so that nobody is told the same again when a flow works it out anew.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState

_WHAT: Final = "places in alerts"


class SentAlertsResettableState(ResettableState):
    """The files of notes in `folder`, each called `<topic> to <recipient>.sqlite`."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Looks whether somebody is being told at the moment."""
        for path in self._files(application):
            self._count(path)
        yield

    def find(self, application: Application) -> Sequence[Artifact]:
        counts = {path: self._count(path) for path in self._files(application)}
        return [Artifact(_WHAT, str(path), f"of {count} partitions") for path, count in counts.items() if count]

    def remove(self, application: Application, artifact: Artifact) -> None:
        del application
        with self._opened(Path(artifact.location)) as file, file:
            file.execute("DELETE FROM positions")

    def _files(self, application: Application) -> list[Path]:
        return sorted(path for topic in application.topics for path in self._folder.glob(f"{quote(topic, safe='')} to *.sqlite"))

    def _count(self, path: Path) -> int:
        with self._opened(path) as file:
            if file.execute("SELECT 1 FROM sqlite_master WHERE name = 'positions'").fetchone() is None:
                return 0
            return int(file.execute("SELECT count(*) FROM positions").fetchone()[0])

    @contextmanager
    def _opened(self, path: Path) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(path, timeout=0)
        try:
            yield connection
        except sqlite3.OperationalError as refused:
            if refused.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise ApplicationRunningError(
                f"the notes of sent alerts in {path} are in use; stop `eddyline notify` first"
            ) from None
        finally:
            connection.close()
