"""Stores in files: one file a store."""

from itertools import count
from pathlib import Path
from typing import Any

from eddyline.adapters.sqlite.keys import OrderedKeys
from eddyline.adapters.sqlite.stores import SqliteKeyValueStore, SqliteSessionStore, SqliteWindowStore
from eddyline.adapters.sqlite.table import Table
from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.ports.state_store import KeyValueStore, SessionStore, StateStores, WindowStore


class SqliteStateStores(StateStores):
    """Makes stores that are kept in files of a folder, one for each store and task in the order in which tasks are made.

    What was put becomes durable when the task's changes are drained and when the store is closed; a store that is made again
    in the same folder has it.
    """

    def __init__(self, folder: Path, codecs: Codecs) -> None:
        self._folder = folder
        self._codecs = codecs
        self._made: dict[str, count[int]] = {}

    def key_value(self, name: str, *, key_type: object, value_type: object) -> KeyValueStore[Any, Any]:
        return SqliteKeyValueStore(name, *self._parts(name, key_type, value_type))

    def window(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> WindowStore[Any, Any]:
        return SqliteWindowStore(name, *self._parts(name, _first_type(key_type), value_type), retention_ms)

    def session(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> SessionStore[Any, Any]:
        return SqliteSessionStore(name, *self._parts(name, _first_type(key_type), value_type), retention_ms)

    def _parts(self, name: str, key_type: object, value_type: object) -> tuple[Table, OrderedKeys, Codec]:
        number = next(self._made.setdefault(name, count()))
        table = Table(self._folder / f"{name}-{number}.sqlite")
        return table, OrderedKeys(key_type, self._codecs), self._codecs.for_state(value_type)


def _first_type(place_type: object) -> object:
    """The type of the keys among the places of a window or session store, which are tuples of key and times."""
    arguments: tuple[object, ...] = getattr(place_type, "__args__", ())
    return arguments[0]
