"""Creates the stores of a task."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eddyline.application.ports.state_store import (
    KeyValueStore,
    SessionStore,
    UndoLog,
    VersionedKeyValueStore,
    WindowStore,
)


class StateStores(ABC):
    """Creates the state stores of tasks. Instances can be pickled.

    Stores are created empty; those of `TaskStateStores` have the entries that were saved before. `key_type` and `value_type` are
    the types of the store keys and values, for implementations that encode them.
    """

    def of_task(self, name: str) -> "StateStores":
        """Return the state stores of one task; stores that are kept on disk are `TaskStateStores`, with a place of their own.

        Args:
            name: Names the run and the task, without the characters that a file name must not have.
        """
        del name
        return self

    def undoable(self, undo: UndoLog) -> "StateStores":
        """Return the same state stores, except that every change of a store is added to `undo`.

        What is read from these stores may be changed in place: the stores keep a copy of their own.

        Raises:
            NotImplementedError: changes cannot be undone, so that exception handlers other than `fail` cannot be used.
        """
        del undo
        raise NotImplementedError(f"{type(self).__name__} cannot undo changes; set the exception handlers to 'fail'")

    @abstractmethod
    def key_value(self, name: str, *, key_type: object, value_type: object) -> KeyValueStore[Any, Any]:
        """Create a key-value store."""

    @abstractmethod
    def versioned(
        self, name: str, *, key_type: object, value_type: object, history_retention_ms: int
    ) -> VersionedKeyValueStore[Any, Any]:
        """Create a versioned key-value store that keeps the history of `history_retention_ms` of event time."""

    @abstractmethod
    def window(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> WindowStore[Any, Any]:
        """Create a window store that keeps entries for `retention_ms` of event time."""

    @abstractmethod
    def session(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> SessionStore[Any, Any]:
        """Create a session store that keeps entries for `retention_ms` of event time."""


class TaskStateStores(StateStores):
    """The state stores of one task on the local disk: a copy of what a checkpoint or a changelog has, so that it may be lost.

    The entries of its stores, and those of `put_entries`, outlive the process if nothing has changed since `save`. Otherwise
    they are removed when they are opened again, as Kafka Streams does with exactly-once processing.
    """

    @property
    @abstractmethod
    def version(self) -> bytes | None:
        """The version that was saved last, None if there is none or if anything was written since."""

    @abstractmethod
    def save(self, version: bytes) -> None:
        """Name the present state of all stores and entries; changes of stores must have been drained."""

    @abstractmethod
    def get_entries(self, keys: Sequence[bytes]) -> Sequence[bytes | None]:
        """Return the values of entries that are not of stores, None for each key without one."""

    @abstractmethod
    def put_entries(self, entries: Iterable[tuple[bytes, bytes | None]]) -> None:
        """Set entries that are not of stores, such as what an engine notes about a task; None deletes an entry."""

    @abstractmethod
    def scan_entries(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Return the entries that are not of stores and whose keys begin with these bytes, by key."""

    @abstractmethod
    def clear(self) -> None:
        """Remove everything. Stores that were created before must not be used any more."""

    @abstractmethod
    def close(self) -> None:
        """Release what the stores use. Stores that were created before must not be used any more."""
