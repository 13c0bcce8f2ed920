"""The stores of several applications as those of one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from eddyline.application.queries.answers import Answer, Freshness, StoreInfo, UnknownStoreError
from eddyline.application.queries.state_queries import Offsets, StateQueries
from eddyline.application.queries.subscriptions import Subscription
from eddyline.application.topology.errors import suggested


class CombinedQueries(StateQueries):
    """Passes each query to the application that has the store.

    Args:
        applications: The queries of an application, and the name that a store has there, by its name here.
    """

    def __init__(self, applications: Mapping[str, tuple[StateQueries, str]]) -> None:
        self._by_store = applications
        self._names = {(id(queries), inner): name for name, (queries, inner) in applications.items()}

    def stores(self) -> Sequence[StoreInfo]:
        """Return the stores of all applications, sorted by name."""
        applications = dict.fromkeys(queries for queries, _ in self._by_store.values())
        found = (self._named(queries, store) for queries in applications for store in queries.stores())
        return sorted(found, key=lambda store: store.name)

    def store(self, name: str) -> StoreInfo:
        """Return one store."""
        queries, inner = self._of(name)
        return self._named(queries, queries.store(inner))

    def get(self, store: str, *keys: Any, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the rows of these keys."""
        queries, inner = self._of(store)
        return queries.get(inner, *keys, limit=limit, cursor=cursor)

    def range(self, store: str, first: Any = None, last: Any = None, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows of a range of keys."""
        queries, inner = self._of(store)
        return queries.range(inner, first, last, limit=limit, cursor=cursor)

    def prefix(self, store: str, prefix: Any, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows whose keys begin with a prefix."""
        queries, inner = self._of(store)
        return queries.prefix(inner, prefix, limit=limit, cursor=cursor)

    def windows(self, store: str, key: Any, first: int, last: int, *, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the windows or sessions of a key."""
        queries, inner = self._of(store)
        return queries.windows(inner, key, first, last, limit=limit, cursor=cursor)

    def version(self, store: str, key: Any, as_of: int) -> Answer:
        """Return a version of a key's value."""
        queries, inner = self._of(store)
        return queries.version(inner, key, as_of)

    def latest(self, store: str, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the latest row of every key."""
        queries, inner = self._of(store)
        return queries.latest(inner, limit=limit, cursor=cursor)

    def finds_at_once(self, store: str) -> bool:
        """Return whether `get` of one key takes little time."""
        queries, inner = self._of(store)
        return queries.finds_at_once(inner)

    def freshness(self, store: str) -> Freshness:
        """Return how fresh the answers about a store are."""
        queries, inner = self._of(store)
        return queries.freshness(inner)

    def subscribe(self, store: str, after: str | None, on_change: Callable[[], None]) -> Subscription:
        """Follow the changes of a store."""
        queries, inner = self._of(store)
        return queries.subscribe(inner, after, on_change)

    def wait_for(self, store: str, offsets: Offsets, timeout_s: float) -> Freshness:
        """Wait until a store includes the records before these offsets."""
        queries, inner = self._of(store)
        return queries.wait_for(inner, offsets, timeout_s)

    def _named(self, queries: StateQueries, store: StoreInfo) -> StoreInfo:
        """Return a store under its name here."""
        return replace(store, name=self._names[id(queries), store.name])

    def _of(self, store: str) -> tuple[StateQueries, str]:
        try:
            return self._by_store[store]
        except KeyError:
            raise UnknownStoreError(f"unknown store '{store}'; {suggested(store, sorted(self._by_store))}") from None
