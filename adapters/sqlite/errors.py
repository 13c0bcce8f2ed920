"""Errors of SQLite, reported with the path of the file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def database_errors(path: Path, in_use: Exception) -> Iterator[None]:
    """Raise `in_use` if another process has locked the file, and OSError with its path for any other error of SQLite."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            raise in_use from None
        raise OSError(f"the SQLite file '{path}' cannot be used: {error}") from error
