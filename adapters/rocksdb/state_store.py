"""State stores in RocksDB: those of each task in a database on the local disk."""

from pathlib import Path
from typing import Any, Final

from eddyline.adapters.private_files import private_folder
from eddyline.adapters.rocksdb.database import Database
from eddyline.adapters.rocksdb.memory import shared_memory
from eddyline.adapters.rocksdb.task_stores import RocksDBTaskStateStores
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.state_store import KeyValueStore, SessionStore, UndoLog, VersionedKeyValueStore, WindowStore
from eddyline.application.ports.state_stores import StateStores

DEFAULT_CACHE_BYTES: Final = 256 << 20
"""How much memory the stores of a process take by default."""


class RocksDBStateStores(StateStores):
    """Creates stores in databases below a folder. Stores that belong to no task are in a temporary database.

    Args:
        codecs: The codecs of the flow; entries are encoded as in a checkpoint.
        folder: The folder, on a local disk; by default in that of the system for temporary files. Processes may share it.
        cache_max_bytes: The memory that all stores of a process take for caches and write buffers.
    """

    def __init__(self, codecs: Codecs, folder: Path | None = None, cache_max_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._codecs, self._cache_max_bytes = codecs, cache_max_bytes
        self._folder = folder

    def of_task(self, name: str) -> RocksDBTaskStateStores:
        folder = self._root() / name.replace(".", "_")
        return RocksDBTaskStateStores(Database(folder, shared_memory(self._cache_max_bytes)), self._codecs)

    def undoable(self, undo: UndoLog) -> StateStores:
        return self._temporary().undoable(undo)

    def key_value(self, name: str, *, key_type: object, value_type: object) -> KeyValueStore[Any, Any]:
        return self._temporary().key_value(name, key_type=key_type, value_type=value_type)

    def versioned(
        self, name: str, *, key_type: object, value_type: object, history_retention_ms: int
    ) -> VersionedKeyValueStore[Any, Any]:
        stores = self._temporary()
        return stores.versioned(name, key_type=key_type, value_type=value_type, history_retention_ms=history_retention_ms)

    def window(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> WindowStore[Any, Any]:
        return self._temporary().window(name, key_type=key_type, value_type=value_type, retention_ms=retention_ms)

    def session(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> SessionStore[Any, Any]:
        return self._temporary().session(name, key_type=key_type, value_type=value_type, retention_ms=retention_ms)

    def _temporary(self) -> RocksDBTaskStateStores:
        return RocksDBTaskStateStores(Database.temporary(self._root(), shared_memory(self._cache_max_bytes)), self._codecs)

    def _root(self) -> Path:
        """Return the folder on the machine that runs the task, which may be another one than that of the flow."""
        return self._folder or private_folder("stores", "choose another one by the setting 'rocksdb.dir'")
