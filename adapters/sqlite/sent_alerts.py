"""Notes of sent alerts in a file."""

import sqlite3
from pathlib import Path

from eddyline.application.ports.sent_alerts import SentAlerts, SentAlertsInUseError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS alerts (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS positions (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (topic, partition)
) WITHOUT ROWID;
"""


class SqliteSentAlerts(SentAlerts):
    """Remembers ids and positions in a file, which it keeps locked from its first use until `close`.

    Every note is on the disk when `note` returns. Raises SentAlertsInUseError on first use when another has the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: sqlite3.Connection | None = None

    def has(self, alert: str) -> bool:
        return self._file.execute("SELECT 1 FROM alerts WHERE id = ?", (_text(alert),)).fetchone() is not None

    def position(self, topic: str, partition: int) -> int:
        found = self._file.execute(
            "SELECT position FROM positions WHERE topic = ? AND partition = ?", (topic, partition)
        ).fetchone()
        return 0 if found is None else int(found[0])

    def note(self, alert: str, topic: str, partition: int, position: int) -> None:
        with self._file as together:
            together.execute("INSERT OR IGNORE INTO alerts VALUES (?)", (_text(alert),))
            together.execute("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", (topic, partition, position))

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def _file(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = self._locked()
        return self._opened

    def _locked(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=0)
        try:
            connection.executescript(
                f"PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL; BEGIN EXCLUSIVE; {_SCHEMA} COMMIT;"
            )
        except sqlite3.OperationalError as refused:
            connection.close()
            if refused.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise SentAlertsInUseError(
                f"the notes of sent alerts in {self._path} are in use by another process, which would send the same alerts;"
                " stop it, or choose another folder"
            ) from None
        return connection


def _text(alert: str) -> str:
    """The id without halves of characters, which a file cannot hold."""
    return alert.encode("utf-8", "backslashreplace").decode()
