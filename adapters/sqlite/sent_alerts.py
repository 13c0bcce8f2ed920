"""The record of sent alerts in a SQLite file, and what a reset removes of it: how far the alert topics were read.

The ids of sent alerts are kept, so that no alert is sent again when the flow produces it again.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from eddyline.adapters.sqlite.errors import database_errors
from eddyline.adapters.sqlite.files import files_of
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState, counted
from eddyline.application.ports.sent_alerts import SentAlerts, SentAlertsInUseError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS alerts (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS positions (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (topic, partition)
) WITHOUT ROWID;
"""


class SqliteSentAlerts(SentAlerts):
    """Ids and positions in the file `path`, which stays locked from the first call until `close`.

    The file and its folder are created if necessary, for their owner only.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def has(self, alert_id: str) -> bool:
        return self._locked_file.execute("SELECT 1 FROM alerts WHERE id = ?", (_storable(alert_id),)).fetchone() is not None

    def position(self, topic: str, partition: int) -> int:
        row = self._locked_file.execute(
            "SELECT position FROM positions WHERE topic = ? AND partition = ?", (topic, partition)
        ).fetchone()
        return 0 if row is None else int(row[0])

    def mark_sent(self, alert_id: str, topic: str, partition: int, position: int) -> None:
        with self._locked_file as transaction:
            transaction.execute("INSERT OR IGNORE INTO alerts VALUES (?)", (_storable(alert_id),))
            transaction.execute("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", (topic, partition, position))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _locked_file(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        in_use = SentAlertsInUseError(
            f"the file '{self._path}' is in use by another process, which would send the same alerts; stop it,"
            " or set another state.dir"
        )
        self._path.parent.mkdir(0o700, parents=True, exist_ok=True)
        with database_errors(self._path, in_use):
            with suppress(OSError):  # SQLite reports why the file cannot be opened
                self._path.touch(0o600)
            connection = sqlite3.connect(self._path, timeout=0)
            try:
                connection.executescript(
                    f"PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL; BEGIN EXCLUSIVE; {_SCHEMA} COMMIT;"
                )
            except BaseException:
                connection.close()
                raise
        return connection


def _storable(alert_id: str) -> str:
    """Escape unpaired surrogates, which SQLite cannot store."""
    return alert_id.encode("utf-8", "backslashreplace").decode()


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
