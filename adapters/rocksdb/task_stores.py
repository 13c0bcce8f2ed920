"""The state stores of one task, in one database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, get_args

from eddyline.adapters.rocksdb.database import PREFIX_BYTES, Database
from eddyline.adapters.rocksdb.expiring_store import (
    RocksDBSessionStore,
    RocksDBWindowStore,
    session_index,
    session_row,
    window_index,
    window_row,
)
from eddyline.adapters.rocksdb.key_value_store import RocksDBKeyValueStore
from eddyline.adapters.rocksdb.rows import RowOf, key_rows
from eddyline.adapters.rocksdb.table import Table
from eddyline.adapters.rocksdb.versioned_store import RocksDBVersionedKeyValueStore
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.state_store import KeyValueStore, SessionStore, UndoLog, VersionedKeyValueStore, WindowStore
from eddyline.application.ports.state_stores import StateStores, TaskStateStores
from eddyline.application.runtime.plan.encoding import StateKeyCodec
from eddyline.application.runtime.plan.topic_types import StateCodecs, codec_type, state_codecs

_ENTRY: Final = b"\x00\x03"
"""The prefix of entries that are not of stores."""


class RocksDBTaskStateStores(TaskStateStores):
    """Creates the stores of a task in a database, and keeps entries beside them; with `undo`, stores add their changes to it."""

    def __init__(self, database: Database, codecs: Codecs) -> None:
        self._database, self._codecs = database, codecs
        self._tables: dict[str, Table] = {}
        self._undo: UndoLog | None = None

    # --- the stores -----------------------------------------------------------------------------------------------------

    def undoable(self, undo: UndoLog) -> StateStores:
        stores = RocksDBTaskStateStores(self._database, self._codecs)
        stores._tables, stores._undo = self._tables, undo
        return stores

    def key_value(self, name: str, *, key_type: object, value_type: object) -> KeyValueStore[Any, Any]:
        codecs = state_codecs((key_type, value_type), self._codecs)
        row_of = key_rows(codecs.key)
        return RocksDBKeyValueStore(self._table(name, codecs, row_of), row_of)

    def versioned(
        self, name: str, *, key_type: object, value_type: object, history_retention_ms: int
    ) -> VersionedKeyValueStore[Any, Any]:
        codecs = state_codecs((key_type, value_type), self._codecs)
        rows = self._rows_of_keys(key_type)
        return RocksDBVersionedKeyValueStore(self._table(name, codecs, partial(window_row, rows)), rows, history_retention_ms)

    def window(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> WindowStore[Any, Any]:
        codecs = state_codecs((key_type, value_type), self._codecs)
        rows = self._rows_of_keys(key_type)
        return RocksDBWindowStore(
            self._table(name, codecs, partial(window_row, rows), partial(window_index, rows)), rows, retention_ms
        )

    def session(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> SessionStore[Any, Any]:
        codecs = state_codecs((key_type, value_type), self._codecs)
        rows = self._rows_of_keys(key_type)
        return RocksDBSessionStore(
            self._table(name, codecs, partial(session_row, rows), partial(session_index, rows)), rows, retention_ms
        )

    def _rows_of_keys(self, key_type: Any) -> RowOf:
        """Return what returns the rows of the keys that are before a time in the keys of a store."""
        kind = get_args(key_type)[0]
        return key_rows(StateKeyCodec(self._codecs.for_state(codec_type(kind)), kind))

    def _table(self, name: str, codecs: StateCodecs, row_of: RowOf, index_of: Callable[[Any], bytes] | None = None) -> Table:
        table = self._tables[name] = Table(self._database, name, codecs, row_of, index_of)
        table.undo = self._undo
        return table

    # --- what is saved --------------------------------------------------------------------------------------------------

    @property
    def version(self) -> bytes | None:
        return self._database.version

    def save(self, version: bytes) -> None:
        for table in self._tables.values():
            table.write()
        self._database.save(version, {name: len(table) for name, table in self._tables.items()})

    def get_entries(self, keys: Sequence[bytes]) -> Sequence[bytes | None]:
        return self._database.get_many([_ENTRY + key for key in keys])

    def put_entries(self, entries: Iterable[tuple[bytes, bytes | None]]) -> None:
        self._database.write((_ENTRY + key, value) for key, value in entries)

    def scan_entries(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        found = self._database.scan_prefix(_ENTRY + prefix)
        return ((row[PREFIX_BYTES:], value) for row, value in found)

    def clear(self) -> None:
        self._tables.clear()
        self._database.clear()

    def close(self) -> None:
        self._tables.clear()
        self._database.close()
