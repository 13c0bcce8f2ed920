"""The queries that a server, a command and Python answer, over a read model."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eddyline.application.queries.answers import Answer, Freshness, StoreInfo
from eddyline.application.queries.subscriptions import Subscription

Offsets = Mapping[str, Mapping[int, int]]
"""By source topic and partition: an offset that the state must include."""


class StateQueries(ABC):
    """The state of one application, or the part of it that this instance holds.

    Keys are values of the store's key type. Methods that return rows take `limit`, the greatest number of rows, and `cursor`,
    that of the previous answer. They raise UnknownStoreError, InvalidQueryError and IncompleteError.
    """

    @abstractmethod
    def stores(self) -> Sequence[StoreInfo]:
        """Return the stores that can be queried, sorted by name."""

    @abstractmethod
    def store(self, name: str) -> StoreInfo:
        """Return one store."""

    @abstractmethod
    def get(self, store: str, *keys: Any, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the rows of these keys in this order, all windows, sessions and versions of each."""

    @abstractmethod
    def range(self, store: str, first: Any = None, last: Any = None, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows with `first <= key <= last` in key order; None leaves that side unbounded."""

    @abstractmethod
    def prefix(self, store: str, prefix: Any, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows whose keys begin with a text, or with the fields of a tuple, in key order."""

    @abstractmethod
    def windows(self, store: str, key: Any, first: int, last: int, *, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the windows or sessions of a key that overlap the times from `first` to `last`, in order."""

    @abstractmethod
    def version(self, store: str, key: Any, as_of: int) -> Answer:
        """Return the version of a key's value that was valid at a time; no row if there was none."""

    @abstractmethod
    def latest(self, store: str, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the latest row of every key, in key order: its last window, session or version."""

    def finds_at_once(self, store: str) -> bool:  # noqa: ARG002 - for those that override it
        """Return whether `get` of one key takes so little time that another thread for it would take longer.

        It does not if a key has many rows, or if something outside, such as a broker, must be asked first.
        """
        return False

    @abstractmethod
    def freshness(self, store: str) -> Freshness:
        """Return how fresh the answers about a store are."""

    @abstractmethod
    def subscribe(self, store: str, after: str | None, on_change: Callable[[], None]) -> Subscription:
        """Follow the changes of a store.

        Args:
            store: The name of the store.
            after: The position after which the changes begin, which an earlier subscription has returned; None for now.
            on_change: Called after changes, in another thread; it must return at once.
        """

    @abstractmethod
    def wait_for(self, store: str, offsets: Offsets, timeout_s: float) -> Freshness:
        """Wait until a store includes the records before these offsets; not if this instance holds no part of it.

        Raises:
            NotFreshError: it does not within `timeout_s`.
        """
