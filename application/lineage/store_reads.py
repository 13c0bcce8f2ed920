"""The reads of state stores while origins are tracked: each row that is read passes one method."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


class StoreReads(ABC):
    """A store whose other methods are those of the store itself."""

    def __init__(self, store: Any, name: str) -> None:
        self._store, self.name = store, name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @abstractmethod
    def _read(self, store_key: Any, row: Any) -> Any:
        """Note that a row, or its absence, was read, and return what the reader gets."""


class KeyValueReads(StoreReads):
    """The reads of a key-value store."""

    def get(self, key: Any) -> Any:
        """Return the value of a key."""
        return self._read(key, self._store.get(key))

    def put_if_absent(self, key: Any, value: Any) -> Any:
        """Set the value of a key that has none."""
        present = self.get(key)
        if present is None:
            self.put(key, value)
        return present

    def put_all(self, values: Mapping[Any, Any]) -> None:
        """Set the values of some keys."""
        for key, value in values.items():
            self.put(key, value)

    def range(self, first: Any = None, last: Any = None, *, reverse: bool = False) -> Iterator[tuple[Any, Any]]:
        """Return entries in key order."""
        return self._entries(self._store.range(first, last, reverse=reverse))

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
        """Return the entries whose keys begin with `prefix`."""
        return self._entries(self._store.prefix_scan(prefix))

    @abstractmethod
    def put(self, key: Any, value: Any) -> None:
        """Set the value of a key."""

    def _entries(self, entries: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        for key, value in entries:
            yield key, self._read(key, value)


class WindowReads(StoreReads):
    """The reads of a window store."""

    def fetch(self, key: Any, start: int) -> Any:
        """Return the value of a key and window start."""
        return self._read((key, start), self._store.fetch(key, start))

    def fetch_range(self, key: Any, first: int, last: int) -> Sequence[tuple[int, Any]]:
        """Return window starts and values of a key."""
        return [(start, self._read((key, start), row)) for start, row in self._store.fetch_range(key, first, last)]

    def fetch_each(self, keys: Sequence[Any], start: int) -> Sequence[Any]:
        """Return the values of keys at a window start."""
        return [self.fetch(key, start) for key in keys]

    def put_each(self, keys: Sequence[Any], values: Sequence[Any], start: int) -> None:
        """Set the values of keys at a window start."""
        for key, value in zip(keys, values, strict=True):
            self.put(key, value, start)

    @abstractmethod
    def put(self, key: Any, value: Any, start: int) -> bool:
        """Set the value of a key and window start."""

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[Any, int, Any]]:
        """Return keys, window starts and values."""
        return [(key, start, self._read((key, start), row)) for key, start, row in self._store.fetch_all(first, last)]


class SessionReads(StoreReads):
    """The reads of a session store."""

    def find_sessions(self, key: Any, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, Any]]:
        """Return sessions of a key."""
        found = self._store.find_sessions(key, earliest_end, latest_start)
        return [(start, end, self._read((key, start, end), row)) for start, end, row in found]

    def fetch_all(self) -> Sequence[tuple[Any, int, int, Any]]:
        """Return all sessions."""
        return [(key, start, end, self._read((key, start, end), row)) for key, start, end, row in self._store.fetch_all()]
