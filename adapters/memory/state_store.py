"""State stores in memory."""

from typing import Any

from eddyline.adapters.memory.expiring_store import MemorySessionStore, MemoryWindowStore
from eddyline.adapters.memory.key_value_store import MemoryKeyValueStore
from eddyline.adapters.memory.versioned_store import MemoryVersionedKeyValueStore
from eddyline.application.ports.state_store import KeyValueStore, SessionStore, UndoLog, VersionedKeyValueStore, WindowStore
from eddyline.application.ports.state_stores import StateStores


class MemoryStateStores(StateStores):
    """Creates empty stores that live as long as the process; the types of keys and values are ignored.

    With `undo`, they add their changes to it.
    """

    def __init__(self, undo: UndoLog | None = None) -> None:
        self._undo = undo

    def undoable(self, undo: UndoLog) -> StateStores:
        return MemoryStateStores(undo)

    def key_value(self, name: str, *, key_type: object, value_type: object) -> KeyValueStore[Any, Any]:
        del key_type, value_type
        return MemoryKeyValueStore(name, self._undo)

    def versioned(
        self, name: str, *, key_type: object, value_type: object, history_retention_ms: int
    ) -> VersionedKeyValueStore[Any, Any]:
        del key_type, value_type
        return MemoryVersionedKeyValueStore(name, history_retention_ms, self._undo)

    def window(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> WindowStore[Any, Any]:
        del key_type, value_type
        return MemoryWindowStore(name, retention_ms, self._undo)

    def session(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> SessionStore[Any, Any]:
        del key_type, value_type
        return MemorySessionStore(name, retention_ms, self._undo)
