"""State stores: where operators keep their state by key, by key and version, by key and window, or by key and session.

Underneath, every store is a map from store keys to values; its changes are drained and restored in that form, for a
checkpoint or a changelog. All times are milliseconds since the epoch. A store belongs to one task and is not thread-safe.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, Generic, NamedTuple, TypeVar, cast

from eddyline.application.ports.codec import CodecError

K = TypeVar("K")
V = TypeVar("V")


class StoreChange(NamedTuple):
    """The present state of one entry of a store.

    Attributes:
        key: The store key: the key itself, `(key, timestamp)` in a versioned store, `(key, start)` in a window store,
            `(key, start, end)` in a session store.
        value: The value, in a versioned store a tuple of the value, which is None for a deletion of the key. None if the entry
            was deleted or has expired.
    """

    key: Any
    value: Any


store_change: Callable[[Iterable[Any]], StoreChange] = partial(tuple.__new__, StoreChange)
"""Creates a StoreChange from its fields in half the time of the class itself."""


class UnencodableEntryError(CodecError):
    """An entry of a store that encodes its entries cannot be encoded; `store` and `key` say which one."""

    def __init__(self, error: CodecError, store: str, key: Any) -> None:
        super().__init__(*error.args)
        self.store, self.key = store, key


class UndoLog(list[Callable[[], None]]):
    """Functions that undo the changes of a record, to be called in reverse order; `changes` has the entries that were put."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[str, StoreChange]] = []

    def add(self, store: str, change: StoreChange, undo: Callable[[], None]) -> None:
        """Add an entry that was put into a store, and the function that restores the previous entry."""
        self.changes.append((store, change))
        self.append(undo)

    def add_all(self, store: str, changes: Iterable[StoreChange], undo: Callable[[], None]) -> None:
        """Add many entries that were put into a store, and the function that restores the previous ones."""
        self.changes.extend(zip(repeat(store), changes))
        self.append(undo)


class StateStore(ABC):
    """The base class of all stores: a name, and changes that can be drained and restored."""

    name: str

    @abstractmethod
    def drain_changes(self) -> Sequence[StoreChange]:
        """Return the entries that changed since the last call, each once and in its present state."""

    def omit_short_lived(self) -> None:
        """Leave entries out of the changes that were put and removed between two calls of `drain_changes`, if the store can.

        Only for a store whose state is made of its own changes and nothing else. A changelog may have entries of an earlier run
        whose state was lost; the same records remove them again. Changes that may be undone must not be left out.
        """

    def drain_encoded(self) -> Sequence[tuple[bytes, bytes | None]] | None:
        """Return the entries that changed since the last call as the codecs of the state encode them.

        Returns:
            None if the store does not encode its entries, so that `drain_changes` has to be called.

        Raises:
            UnencodableEntryError: an entry cannot be encoded.
        """
        return None

    @abstractmethod
    def restore(self, changes: Iterable[StoreChange]) -> None:
        """Apply drained entries in the given order; they do not count as changes of this store."""

    def restore_encoded(self, entries: Iterable[tuple[bytes, bytes | None]]) -> bool:
        """Apply drained entries whose keys and values are encoded, as `restore` does, if that needs no decoding of the values.

        Returns:
            False if nothing was done, so that the entries have to be decoded and restored.
        """
        del entries
        return False

    @abstractmethod
    def snapshot(self) -> Iterator[StoreChange]:
        """Return all entries in the form that `restore` accepts, in the order of their store keys."""

    def approximate_num_entries(self) -> int | None:
        """Return the number of entries; None in stores that do not count them."""
        return None

    def close(self) -> None:
        """Release the resources of the store."""


class KeyValueStore(StateStore, Generic[K, V]):
    """Values by key, iterated in key order: text by its UTF-8 bytes, numbers by value, tuples part by part."""

    @abstractmethod
    def get(self, key: K) -> V | None:
        """Return the value of a key, None if there is none."""

    @abstractmethod
    def put(self, key: K, value: V | None) -> None:
        """Set the value of a key; None deletes the entry."""

    def put_all(self, values: Mapping[K, V | None]) -> None:
        """Set the values of some keys in their order; None deletes the entry."""
        for key, value in values.items():
            self.put(key, value)

    @abstractmethod
    def delete(self, key: K) -> V | None:
        """Delete a key and return its value, None if there was none."""

    @abstractmethod
    def put_if_absent(self, key: K, value: V) -> V | None:
        """Set the value of a key that has none, and return the previous value: None if the new value was set."""

    @abstractmethod
    def range(self, first: K | None = None, last: K | None = None, *, reverse: bool = False) -> Iterator[tuple[K, V]]:
        """Return the entries with `first <= key <= last` in key order; None leaves that side unbounded.

        Entries that are added during the iteration are not returned.
        """

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[K, V]]:
        """Return the entries whose keys are tuples that begin with `prefix`, in key order."""
        length = len(prefix)
        for key, value in self.range(cast("K", prefix)):
            if cast("tuple[Any, ...]", key)[:length] != prefix:
                return
            yield key, value

    @abstractmethod
    def approximate_num_entries(self) -> int:
        """Return the number of entries; an estimate in stores that do not count them."""


class TimedStore(StateStore):
    """A store whose entries expire by event time, when the newest time put has moved on by the retention.

    The newest time outlives the entries and is therefore restored separately, by `observe`.
    """

    @property
    @abstractmethod
    def newest(self) -> int:
        """The newest window start, or session end, that was ever put; negative if there was none."""

    @abstractmethod
    def observe(self, newest: int) -> None:
        """Advance `newest` to this time, for example after a restore, and expire entries; an earlier time has no effect."""


class VersionedRecord(NamedTuple):
    """A version of the value of a key.

    Attributes:
        value: The value.
        timestamp: The time from which it is valid, in ms since the epoch.
        valid_to: The time from which it is no longer valid, in ms since the epoch; None for the latest version.
    """

    value: Any
    timestamp: int
    valid_to: int | None = None


class VersionedKeyValueStore(TimedStore, Generic[K, V]):
    """Values by key and timestamp: each is a version, valid from its timestamp to that of the next one (KIP-889).

    `newest` is the greatest timestamp that was ever put. Versions can be read as of any time since `newest` minus the history
    retention, and the latest version of a key always; versions that are no longer valid at that time expire.
    """

    @abstractmethod
    def get(self, key: K, as_of_timestamp: int | None = None) -> VersionedRecord | None:
        """Return the version of a key that is valid at a time, by default the latest one.

        Returns:
            None if the key has no value at that time, or the history is not kept so long.
        """

    @abstractmethod
    def put(self, key: K, value: V | None, timestamp: int) -> bool:
        """Add a version of a key, or replace that of the same timestamp; None deletes the key from that time on.

        Returns:
            False if the timestamp is older than the history retention, so that nothing was done; else True.
        """

    @abstractmethod
    def delete(self, key: K, timestamp: int) -> VersionedRecord | None:
        """Delete a key from a time on, and return the version that was valid then.

        Returns:
            None if there was none, or the timestamp is older than the history retention, so that nothing was done.
        """

    @abstractmethod
    def is_latest(self, key: K, timestamp: int) -> bool:
        """Return whether a key has no version, and no deletion, with a greater timestamp."""


class WindowStore(TimedStore, Generic[K, V]):
    """Values by key and window start. An entry expires as soon as `start <= newest start - retention`."""

    @abstractmethod
    def put(self, key: K, value: V | None, start: int) -> bool:
        """Set the value of a key and window start; None deletes the entry.

        Returns:
            False if the window start is past the retention, so that nothing was done; else True.
        """

    @abstractmethod
    def fetch(self, key: K, start: int) -> V | None:
        """Return the value of a key and window start, None if there is none."""

    def fetch_each(self, keys: Sequence[K], start: int) -> Sequence[V | None]:
        """Return the values of keys at a window start, None where there is none."""
        return [None] * len(keys) if start > self.newest else [self.fetch(key, start) for key in keys]

    def put_each(self, keys: Sequence[K], values: Sequence[V | None], start: int) -> None:
        """Set the values of keys at a window start, as `put` does one by one."""
        for key, value in zip(keys, values, strict=True):
            self.put(key, value, start)

    @abstractmethod
    def fetch_range(self, key: K, first: int, last: int) -> Sequence[tuple[int, V]]:
        """Return the window starts and values of a key with `first <= start <= last`, by start."""

    @abstractmethod
    def fetch_all(self, first: int, last: int) -> Sequence[tuple[K, int, V]]:
        """Return the keys, window starts and values with `first <= start <= last`, by key, then by start."""


class SessionStore(TimedStore, Generic[K, V]):
    """Values by key and session bounds. An entry expires as soon as `end <= newest end - retention`."""

    @abstractmethod
    def put(self, key: K, start: int, end: int, value: V | None) -> bool:
        """Set the value of a session; None deletes the entry.

        Returns:
            False if there is a value and the session is past the retention, so that nothing was done; else True.
        """

    @abstractmethod
    def find_sessions(self, key: K, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, V]]:
        """Return the start, end and value of a key's sessions with `end >= earliest_end` and `start <= latest_start`.

        They are ordered by end, then by start.
        """

    @abstractmethod
    def fetch_all(self) -> Sequence[tuple[K, int, int, V]]:
        """Return the key, start, end and value of all sessions, by key, start and end."""
