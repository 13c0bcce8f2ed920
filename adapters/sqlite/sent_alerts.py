"""The record of sent alerts in a SQLite file."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from eddyline.adapters.sqlite.errors import database_errors
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
