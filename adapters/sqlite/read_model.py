"""The read model in a SQLite file, a table of entries clustered by their sort keys, and the files that a reset removes."""

# ruff: noqa: S608 - queries are put together of constants of this module only

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final
from urllib.parse import quote

from eddyline.adapters.sqlite.connections import Connections
from eddyline.adapters.sqlite.errors import database_errors
from eddyline.application.ports.read_model import ChangelogPart, EntryChange, EntryKey, ReadModel, StateProgress, StoredEntry
from eddyline.application.ports.resettable_state import (
    Application,
    ApplicationRunningError,
    Artifact,
    ResettableState,
    UnmarkedArtifactError,
    counted,
)

_APPLICATION_ID: Final = 0x45444459
"""Marks the files of read models; the bytes are `EDDY`."""

_VERSION: Final = 1

_SCHEMA: Final = """
CREATE TABLE stores (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, changelog_id TEXT,
  entries INTEGER NOT NULL DEFAULT 0, size_bytes INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE partitions (
  store INTEGER NOT NULL, partition INTEGER NOT NULL, position INTEGER NOT NULL, progress TEXT, PRIMARY KEY (store, partition)
) WITHOUT ROWID;
CREATE TABLE entries (
  store INTEGER NOT NULL, sort_key BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, partition INTEGER NOT NULL,
  key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (store, sort_key, first, last, partition)
) WITHOUT ROWID;
"""

_NUMBER: Final = "(SELECT number FROM stores WHERE name = ?)"
_ENTRY: Final = "WHERE store = ? AND sort_key = ? AND first = ? AND last = ? AND partition = ?"
_COLUMNS: Final = "SELECT partition, sort_key, first, last, key, value FROM entries"
_FIND: Final = f"{_COLUMNS} WHERE store = {_NUMBER} AND sort_key = ? AND first <= ? AND last >= ?"
_FIND_AFTER: Final = f"{_FIND} AND (first, last, partition) > (?, ?, ?)"
_SCAN: Final = f"{_COLUMNS} WHERE store = {_NUMBER} AND (sort_key, first, last, partition) > (?, ?, ?, ?)"
_SCAN_BEFORE: Final = f"{_SCAN} AND sort_key < ?"
_IN_ORDER: Final = " ORDER BY sort_key, first, last, partition LIMIT ?"
_NEXT_KEY: Final = f"SELECT min(sort_key) FROM entries WHERE store = {_NUMBER} AND sort_key > ?"
_LAST_OF_KEY: Final = (
    f"{_COLUMNS} WHERE store = {_NUMBER} AND sort_key = ? ORDER BY first DESC, last DESC, partition DESC LIMIT 1"
)


class SqliteReadModel(ReadModel):
    """The entries in the file `path`, which is created for its owner only, with its folder, if necessary.

    One connection writes, and each thread has another to read: the write-ahead log of SQLite lets readers go on meanwhile. A
    power failure may lose the last parts, which are then read from the changelog again.

    All methods raise OSError if the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._connections = Connections(path, _prepare)
        self._writing = Lock()

    def apply(self, part: ChangelogPart) -> bool:
        with self._transaction() as writer:
            store = _numbered(writer, part.store)
            if _position(writer, part.store, part.partition) != part.start:
                return False
            _put(writer, store, part.partition, part.changes)
            writer.execute(
                "INSERT INTO partitions VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET position = excluded.position,"
                " progress = coalesce(excluded.progress, progress)",
                (store, part.partition, part.end, None if part.progress is None else json.dumps(part.progress)),
            )
            return True

    def position(self, store: str, partition: int) -> int:
        with self._reader() as reader:
            return _position(reader, store, partition)

    def progress(self, store: str) -> Mapping[int, StateProgress]:
        query = f"SELECT partition, progress FROM partitions WHERE store = {_NUMBER} AND progress IS NOT NULL ORDER BY partition"
        with self._reader() as reader:
            return {partition: StateProgress(*json.loads(found)) for partition, found in reader.execute(query, (store,))}

    def find(
        self, store: str, sort_key: bytes, times: tuple[int, int], limit: int, *, after: tuple[int, int, int] | None = None
    ) -> Sequence[StoredEntry]:
        first, last = times
        with self._reader() as reader:
            if after is None:
                return _entries(reader.execute(_FIND + _IN_ORDER, (store, sort_key, last, first, limit)))
            return _entries(reader.execute(_FIND_AFTER + _IN_ORDER, (store, sort_key, last, first, *after, limit)))

    def scan(
        self, store: str, first: EntryKey, before: bytes | None, limit: int, *, after_partition: int = -1
    ) -> Sequence[StoredEntry]:
        with self._reader() as reader:
            if before is None:
                return _entries(reader.execute(_SCAN + _IN_ORDER, (store, *first, after_partition, limit)))
            return _entries(reader.execute(_SCAN_BEFORE + _IN_ORDER, (store, *first, after_partition, before, limit)))

    def latest(self, store: str, after: bytes, limit: int) -> Sequence[StoredEntry]:
        found: list[StoredEntry] = []
        with self._snapshot() as reader:
            while len(found) < limit:
                following: bytes | None = reader.execute(_NEXT_KEY, (store, after)).fetchone()[0]
                if following is None:
                    break
                found += _entries(reader.execute(_LAST_OF_KEY, (store, following)))
                after = following
        return found

    def size(self, store: str) -> tuple[int, int]:
        with self._reader() as reader:
            found = reader.execute("SELECT entries, size_bytes FROM stores WHERE name = ?", (store,)).fetchone()
        return (0, 0) if found is None else (found[0], found[1])

    def changelog_id(self, store: str) -> str | None:
        with self._reader() as reader:
            found = reader.execute("SELECT changelog_id FROM stores WHERE name = ?", (store,)).fetchone()
        return None if found is None else found[0]

    def clear(self, store: str, changelog_id: str) -> None:
        with self._transaction() as writer:
            number = _numbered(writer, store)
            writer.execute("DELETE FROM entries WHERE store = ?", (number,))
            writer.execute("DELETE FROM partitions WHERE store = ?", (number,))
            writer.execute(
                "UPDATE stores SET changelog_id = ?, entries = 0, size_bytes = 0 WHERE number = ?", (changelog_id, number)
            )

    def remove(self, store: str, partition: int) -> None:
        with self._transaction() as writer:
            number = _numbered(writer, store)
            entries, size_bytes = writer.execute(
                "SELECT count(*), coalesce(sum(length(key) + length(value)), 0) FROM entries WHERE store = ? AND partition = ?",
                (number, partition),
            ).fetchone()
            writer.execute("DELETE FROM entries WHERE store = ? AND partition = ?", (number, partition))
            writer.execute("DELETE FROM partitions WHERE store = ? AND partition = ?", (number, partition))
            writer.execute(
                "UPDATE stores SET entries = entries - ?, size_bytes = size_bytes - ? WHERE number = ?",
                (entries, size_bytes, number),
            )

    def close(self) -> None:
        with self._writing:
            self._connections.close()

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        """Provide a connection; each statement is a transaction of its own."""
        with self._connections.errors(), self._connections.reader() as reader:
            yield reader

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Provide a connection in a transaction, so that all that it reads is of one time."""
        with self._reader() as reader:
            reader.execute("BEGIN")
            try:
                yield reader
            finally:
                reader.execute("ROLLBACK")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._writing, self._connections.errors():
            writer = self._connections.writer()
            writer.execute("BEGIN IMMEDIATE")
            try:
                yield writer
            except BaseException:
                writer.execute("ROLLBACK")
                raise
            writer.execute("COMMIT")


def file_in(folder: Path, application_id: str, host: str | None = None) -> Path:
    """Return the file of an application's read model in the folder of all; `host` is that of a server that shares the state."""
    name = application_id if host is None else f"{application_id}@{quote(host, safe='')}"
    return folder / f"{name}.sqlite"


def files_in(folder: Path, application_id: str) -> list[Path]:
    """Return the existing files of an application's read models, sorted."""
    return sorted([*folder.glob(f"{application_id}.sqlite"), *folder.glob(f"{application_id}@*.sqlite")])


def is_read_model(connection: sqlite3.Connection) -> bool:
    """Return whether a file is marked as that of a read model, or is still empty."""
    (kind,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return kind == _APPLICATION_ID or (kind, tables) == (0, 0)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables in a new file.

    Raises:
        OSError: the file is none of a read model, or of another version.
    """
    connection.execute("BEGIN IMMEDIATE")
    (kind,), (version,), (tables,) = (
        connection.execute(query).fetchone()
        for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    if (kind, version, tables) == (0, 0, 0):
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")
    if kind not in (0, _APPLICATION_ID) or (kind == 0 and tables):
        raise OSError(f"the file '{path}' is not a read model; delete or move it, or set another state.dir")
    if kind and version != _VERSION:
        raise OSError(
            f"the read model '{path}' has the format {version}, but this version of Eddyline uses {_VERSION}; delete the file, "
            "and it is built again from the changelogs"
        )


def _numbered(writer: sqlite3.Connection, store: str) -> int:
    found = writer.execute("SELECT number FROM stores WHERE name = ?", (store,)).fetchone()
    if found is None:
        found = writer.execute("INSERT INTO stores (name) VALUES (?) RETURNING number", (store,)).fetchone()
    return int(found[0])


def _position(connection: sqlite3.Connection, store: str, partition: int) -> int:
    query = f"SELECT position FROM partitions WHERE store = {_NUMBER} AND partition = ?"
    found = connection.execute(query, (store, partition)).fetchone()
    return 0 if found is None else int(found[0])


def _put(writer: sqlite3.Connection, store: int, partition: int, changes: Sequence[EntryChange]) -> None:
    """Put the last change of each entry, and update the size of the store."""
    last = {(store, *change.found_by, partition): change for change in changes}
    entries, size_bytes = 0, 0
    query = f"SELECT length(key) + length(value) FROM entries {_ENTRY}"
    for entry_id, change in last.items():
        previous = writer.execute(query, entry_id).fetchone()
        if previous is not None:
            entries, size_bytes = entries - 1, size_bytes - previous[0]
        if change.value is not None:
            entries, size_bytes = entries + 1, size_bytes + len(change.key) + len(change.value)
    writer.executemany(
        "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((*entry_id, change.key, change.value) for entry_id, change in last.items() if change.value is not None),
    )
    writer.executemany(f"DELETE FROM entries {_ENTRY}", (entry_id for entry_id, change in last.items() if change.value is None))
    writer.execute(
        "UPDATE stores SET entries = entries + ?, size_bytes = size_bytes + ? WHERE number = ?", (entries, size_bytes, store)
    )


def _entries(rows: Iterable[Any]) -> list[StoredEntry]:
    return [
        StoredEntry(partition, EntryKey(sort_key, first, last), key, value)
        for partition, sort_key, first, last, key, value in rows
    ]


_READ_MODEL: Final = "read model of queries"
_COMPANIONS: Final = ("-wal", "-shm", "-journal")
"""The suffixes of the files that SQLite keeps beside its own."""


class ReadModelResettableState(ResettableState):
    """The files of read models in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Make sure that no server answers from the read models, and let none open them."""
        with ExitStack() as stack:
            for path in files_in(self._folder, application.id):
                connection = stack.enter_context(self._opened(path))
                if not is_read_model(connection):
                    raise UnmarkedArtifactError(f"the file '{path}' is no read model; move it away and run the reset again")
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA journal_mode = DELETE")  # fails while another connection is open
                connection.execute("BEGIN EXCLUSIVE")
            yield

    def find(self, application: Application) -> Sequence[Artifact]:
        return [
            Artifact(_READ_MODEL, str(path), counted(path.stat().st_size, "byte"))
            for path in files_in(self._folder, application.id)
        ]

    def remove(self, application: Application, artifact: Artifact) -> None:
        del application
        path = Path(artifact.location)
        for name in (path.name, *(f"{path.name}{suffix}" for suffix in _COMPANIONS)):
            path.with_name(name).unlink(missing_ok=True)

    @contextmanager
    def _opened(self, path: Path) -> Iterator[sqlite3.Connection]:
        in_use = ApplicationRunningError(
            f"the read model '{path}' is in use; stop the query server ('eddyline serve' or 'eddyline run --serve'), or the "
            "program that has opened eddyline.state, and run the reset again"
        )
        with (
            database_errors(path, in_use),
            closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection,
        ):
            yield connection
