"""The stores of several applications as those of one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eddyline.application.queries.answers import Answer, Freshness, StoreInfo, UnknownStoreError
from eddyline.application.queries.state_queries import Offsets, StateQueries
from eddyline.application.queries.subscriptions import Subscription
from eddyline.application.topology.errors import suggested


class CombinedQueries(StateQueries):
    """Passes each query to the application that has the store; `applications` are by the names of their stores."""

    def __init__(self, applications: Mapping[str, StateQueries]) -> None:
        self._by_store = applications

    def stores(self) -> Sequence[StoreInfo]:
        """Return the stores of all applications, sorted by name."""
        found = (store for queries in set(self._by_store.values()) for store in queries.stores())
        return sorted(found, key=lambda store: store.name)

    def store(self, name: str) -> StoreInfo:
        """Return one store."""
        return self._of(name).store(name)

    def get(self, store: str, *keys: Any, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the rows of these keys."""
        return self._of(store).get(store, *keys, limit=limit, cursor=cursor)

    def range(self, store: str, first: Any = None, last: Any = None, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows of a range of keys."""
        return self._of(store).range(store, first, last, limit=limit, cursor=cursor)

    def prefix(self, store: str, prefix: Any, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows whose keys begin with a prefix."""
        return self._of(store).prefix(store, prefix, limit=limit, cursor=cursor)

    def windows(self, store: str, key: Any, first: int, last: int, *, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the windows or sessions of a key."""
        return self._of(store).windows(store, key, first, last, limit=limit, cursor=cursor)

    def version(self, store: str, key: Any, as_of: int) -> Answer:
        """Return a version of a key's value."""
        return self._of(store).version(store, key, as_of)

    def latest(self, store: str, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the latest row of every key."""
        return self._of(store).latest(store, limit=limit, cursor=cursor)

    def finds_at_once(self, store: str) -> bool:
        """Return whether `get` of one key takes little time."""
        return self._of(store).finds_at_once(store)

    def freshness(self, store: str) -> Freshness:
        """Return how fresh the answers about a store are."""
        return self._of(store).freshness(store)

    def subscribe(self, store: str, after: str | None, on_change: Callable[[], None]) -> Subscription:
        """Follow the changes of a store."""
        return self._of(store).subscribe(store, after, on_change)

    def wait_for(self, store: str, offsets: Offsets, timeout_s: float) -> Freshness:
        """Wait until a store includes the records before these offsets."""
        return self._of(store).wait_for(store, offsets, timeout_s)

    def _of(self, store: str) -> StateQueries:
        try:
            return self._by_store[store]
        except KeyError:
            raise UnknownStoreError(f"unknown store '{store}'; {suggested(store, sorted(self._by_store))}") from None
