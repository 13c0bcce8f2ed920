"""Connections to a SQLite file that one thread writes while others read."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

from eddyline.adapters.sqlite.errors import database_errors

_BUSY_S: Final = 30
_STATEMENTS: Final = 64


class Connections:
    """One connection that writes, and as many as read at the same time.

    Args:
        path: The file; it is created for its owner only, with its folder, if necessary.
        prepare: Is called with the first connection and the path, to check the file and to create its tables.
    """

    def __init__(self, path: Path, prepare: Callable[[sqlite3.Connection, Path], None]) -> None:
        self._path, self._prepare = path, prepare
        self._writer: sqlite3.Connection | None = None
        self._readers: set[sqlite3.Connection] = set()
        self._idle: list[sqlite3.Connection] = []
        self._lock = Lock()

    def errors(self) -> AbstractContextManager[None]:
        """Raise OSError with the path of the file for errors of SQLite."""
        busy = OSError(
            f"the SQLite file '{self._path}' is locked by another process for more than {_BUSY_S} s; stop that process"
        )
        return database_errors(self._path, busy)

    def writer(self) -> sqlite3.Connection:
        """Return the connection that writes; its callers take turns."""
        with self._lock:
            if self._writer is None:
                self._writer = self._open()
            return self._writer

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that nobody else reads with meanwhile; it is used again by others, in any thread."""
        self.writer()
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            with self._lock:
                self._readers.add(connection)
        try:
            yield connection
        finally:
            with self._lock:
                if connection in self._readers:
                    self._idle.append(connection)

    def close(self) -> None:
        """Close all connections; no thread may be using one."""
        with self._lock:
            for connection in (*self._readers, *filter(None, [self._writer])):
                connection.close()
            self._writer, self._readers, self._idle = None, set(), []

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(0o700, parents=True, exist_ok=True)
        with suppress(OSError):  # SQLite reports why the file cannot be opened
            self._path.touch(0o600)
        connection = self._connect()
        try:
            self._prepare(connection, self._path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS
        )
