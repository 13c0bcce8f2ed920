"""One table of rows by key and two numbers, which every kind of store is kept in."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

Row = tuple[bytes, int, int, bytes]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rows (
  key BLOB NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (key, first, second)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_first ON rows (first);
CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""


class Table:
    """Rows of (key, first, second, value) in a file; changes are durable after `commit`."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path)
        self._connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + _SCHEMA)

    def get(self, key: bytes, first: int = 0, second: int = 0) -> bytes | None:
        """The value of a row, None where there is none."""
        row = self._connection.execute(
            "SELECT value FROM rows WHERE key = ? AND first = ? AND second = ?", (key, first, second)
        ).fetchone()
        return None if row is None else row[0]

    def put(self, key: bytes, value: bytes | None, first: int = 0, second: int = 0) -> None:
        """Sets the value of a row; None deletes it."""
        if value is None:
            self._connection.execute("DELETE FROM rows WHERE key = ? AND first = ? AND second = ?", (key, first, second))
        else:
            self._connection.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", (key, first, second, value))

    def select(self, condition: str = "1", values: tuple[object, ...] = (), order: str = "key, first, second") -> Iterator[Row]:
        """The rows that a condition of this package's own holds for; the values stand for its question marks."""
        statement = f"SELECT key, first, second, value FROM rows WHERE {condition} ORDER BY {order}"  # noqa: S608 - no input in it
        return iter(self._connection.execute(statement, values).fetchall())

    def delete(self, condition: str, values: tuple[object, ...]) -> list[tuple[bytes, int, int]]:
        """Deletes rows and gives their places."""
        return self._connection.execute(
            f"DELETE FROM rows WHERE {condition} RETURNING key, first, second",  # noqa: S608 - no input in it
            values,
        ).fetchall()

    def count(self) -> int:
        """How many rows there are."""
        found: int = self._connection.execute("SELECT count(*) FROM rows").fetchone()[0]
        return found

    def number(self, name: str, default: int) -> int:
        """A number kept beside the rows."""
        row = self._connection.execute("SELECT value FROM numbers WHERE name = ?", (name,)).fetchone()
        return default if row is None else row[0]

    def set_number(self, name: str, value: int) -> None:
        """Sets a number kept beside the rows."""
        self._connection.execute("INSERT OR REPLACE INTO numbers VALUES (?, ?)", (name, value))

    def commit(self) -> None:
        """Makes all changes durable, together."""
        self._connection.commit()

    def close(self) -> None:
        """Makes all changes durable and closes the file."""
        self._connection.commit()
        self._connection.close()
