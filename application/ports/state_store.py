"""Where operators keep what they know: stores by key, by key and window, by key and session.

Every store is, underneath, a map from store keys to store values; that is how its changes leave and come back.
All times are milliseconds since the epoch.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, cast

K = TypeVar("K")
V = TypeVar("V")


class StoreChange(NamedTuple):
    """One entry of a store as it is now; `value` is None where the entry is gone."""

    key: Any
    value: Any


class StateStore(ABC):
    """What all stores share: a name, and changes that can be carried elsewhere and put back."""

    name: str

    @abstractmethod
    def drain_changes(self) -> Sequence[StoreChange]:
        """The entries that changed since the last call, each once, as they are now."""

    @abstractmethod
    def restore(self, changes: Iterable[StoreChange]) -> None:
        """Puts entries back as they were drained, later ones over earlier ones; these do not count as changes."""

    @abstractmethod
    def snapshot(self) -> Iterator[StoreChange]:
        """All entries as `restore` would take them."""

    def close(self) -> None:
        """Lets go of what the store holds open."""


class KeyValueStore(StateStore, Generic[K, V]):
    """Values by key. Iteration is in the order of the keys: text by its UTF-8 bytes, numbers by size."""

    @abstractmethod
    def get(self, key: K) -> V | None:
        """The value of the key, None where there is none."""

    @abstractmethod
    def put(self, key: K, value: V | None) -> None:
        """Sets the value of the key; None deletes it."""

    @abstractmethod
    def delete(self, key: K) -> V | None:
        """Deletes the key and gives the value that it had."""

    @abstractmethod
    def put_if_absent(self, key: K, value: V) -> V | None:
        """Sets the value where there is none; gives the value that was there before."""

    @abstractmethod
    def range(self, first: K | None = None, last: K | None = None, *, reverse: bool = False) -> Iterator[tuple[K, V]]:
        """The entries with `first <= key <= last`; None leaves a side open."""

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[K, V]]:
        """The entries whose keys are tuples that begin with `prefix`, in order."""
        length = len(prefix)
        for key, value in self.range(cast("K", prefix)):
            if cast("tuple[Any, ...]", key)[:length] != prefix:
                return
            yield key, value

    @abstractmethod
    def approximate_num_entries(self) -> int:
        """How many entries there are."""


class TimedStore(StateStore):
    """A store whose entries leave by time; `newest` is the newest time put, which outlives the entries."""

    @property
    @abstractmethod
    def newest(self) -> int:
        """The newest window start, or session end, ever put; less than 0 before the first."""

    @abstractmethod
    def observe(self, newest: int) -> None:
        """Sets `newest` after a restart and lets go of what is past the retention by it."""


class WindowStore(TimedStore, Generic[K, V]):
    """Values by key and window start; entries leave when the retention has passed by the newest start put.

    An entry is there while `start > newest start - retention`.
    """

    @abstractmethod
    def put(self, key: K, value: V | None, start: int) -> bool:
        """Sets the value of key and start; None deletes it. False when it is past the retention, and nothing was done."""

    @abstractmethod
    def fetch(self, key: K, start: int) -> V | None:
        """The value of key and start, None where there is none."""

    @abstractmethod
    def fetch_range(self, key: K, first: int, last: int) -> Sequence[tuple[int, V]]:
        """Starts and values of the key with `first <= start <= last`, in order of time."""

    @abstractmethod
    def fetch_all(self, first: int, last: int) -> Sequence[tuple[K, int, V]]:
        """Keys, starts and values with `first <= start <= last`, in order of the key, then of time."""


class SessionStore(TimedStore, Generic[K, V]):
    """Values by key and session bounds; entries leave when the retention has passed by the newest session end put.

    An entry is there while `end > newest end - retention`.
    """

    @abstractmethod
    def put(self, key: K, start: int, end: int, value: V | None) -> bool:
        """Sets the value of a session; None deletes it. False when it is past the retention, and nothing was done."""

    @abstractmethod
    def find_sessions(self, key: K, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, V]]:
        """Start, end and value of the key's sessions with `end >= earliest_end` and `start <= latest_start`, by end and start."""

    @abstractmethod
    def fetch_all(self) -> Sequence[tuple[K, int, int, V]]:
        """Key, start, end and value of all sessions, in order of key, start and end."""


class StateStores(ABC):
    """Makes the stores of a task. Instances are picklable."""

    @abstractmethod
    def key_value(self, name: str, *, key_type: object, value_type: object) -> KeyValueStore[Any, Any]:
        """An empty store of values by key, or with what it kept, where it is persistent."""

    @abstractmethod
    def window(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> WindowStore[Any, Any]:
        """A store of values by key and window start."""

    @abstractmethod
    def session(self, name: str, *, key_type: object, value_type: object, retention_ms: int) -> SessionStore[Any, Any]:
        """A store of values by key and session bounds."""
