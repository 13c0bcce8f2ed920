"""State stores as operators see them while origins are tracked: every read may have influence, every change is noted."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eddyline.application.lineage.origins import origins_of
from eddyline.application.lineage.tracker import Tracker
from eddyline.application.ports.state_store import (
    KeyValueStore,
    SessionStore,
    StateStore,
    VersionedKeyValueStore,
    VersionedRecord,
    WindowStore,
)


def traced_store(store: StateStore, tracker: Tracker) -> Any:
    """Return a store whose reads and changes are tracked; a custom store of another kind as it is."""
    kinds: tuple[tuple[type[StateStore], Callable[[Any, Tracker], Any]], ...] = (
        (KeyValueStore, TracedKeyValueStore),
        (WindowStore, TracedWindowStore),
        (SessionStore, TracedSessionStore),
        (VersionedKeyValueStore, TracedVersionedStore),
    )
    return next((traced(store, tracker) for kind, traced in kinds if isinstance(store, kind)), store)


class _TracedStore:
    """A store whose other methods are those of the store itself."""

    def __init__(self, store: Any, tracker: Tracker) -> None:
        self.store, self._tracker = store, tracker
        self.name = store.name

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def _read(self, store_key: Any, row: Any) -> Any:
        """Note that a row, or its absence, may have influence."""
        tracker = self._tracker
        if row is None:
            deleted = tracker.deletions.get((self.name, store_key))
            if deleted is not None:
                tracker.influence(deleted)
            if tracker.is_watching:
                tracker.note("missing", self.name, store_key)
        else:
            tracker.influence(origins_of(row))
        return row

    def _changed(self, store_key: Any, before: Any, row: Any) -> Any:
        """Note a change, and return the row to store."""
        tracker = self._tracker
        if row is None:
            if before is not None:
                tracker.deletion(self.name, store_key)
        elif tracker.deletions:
            tracker.deletions.pop((self.name, store_key), None)
        return tracker.stored(self.name, store_key, before, row)

    @property
    def _keeps_changes(self) -> bool:
        return self._tracker.changes or self._tracker.is_watching


class TracedKeyValueStore(_TracedStore):
    """A key-value store."""

    def get(self, key: Any) -> Any:
        """Return the value of a key."""
        return self._read(key, self.store.get(key))

    def put(self, key: Any, value: Any) -> None:
        """Set the value of a key."""
        self.store.put(key, self._changed(key, self.store.get(key), value))

    def delete(self, key: Any) -> Any:
        """Delete a key and return its value."""
        value = self.store.delete(key)
        self._changed(key, value, None)
        return value

    def put_if_absent(self, key: Any, value: Any) -> Any:
        """Set the value of a key that has none."""
        present = self.get(key)
        if present is None:
            self.put(key, value)
        return present

    def range(self, first: Any = None, last: Any = None, *, reverse: bool = False) -> Iterator[tuple[Any, Any]]:
        """Return entries in key order."""
        return self._entries(self.store.range(first, last, reverse=reverse))

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
        """Return the entries whose keys begin with `prefix`."""
        return self._entries(self.store.prefix_scan(prefix))

    def _entries(self, entries: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        for key, value in entries:
            yield key, self._read(key, value)


class TracedWindowStore(_TracedStore):
    """A window store."""

    def fetch(self, key: Any, start: int) -> Any:
        """Return the value of a key and window start."""
        return self._read((key, start), self.store.fetch(key, start))

    def put(self, key: Any, value: Any, start: int) -> bool:
        """Set the value of a key and window start."""
        before = self.store.fetch(key, start) if value is None or self._keeps_changes else None
        kept: bool = self.store.put(key, self._changed((key, start), before, value), start)
        return kept

    def fetch_range(self, key: Any, first: int, last: int) -> Sequence[tuple[int, Any]]:
        """Return window starts and values of a key."""
        return [(start, self._read((key, start), value)) for start, value in self.store.fetch_range(key, first, last)]

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[Any, int, Any]]:
        """Return keys, window starts and values."""
        return [(key, start, self._read((key, start), value)) for key, start, value in self.store.fetch_all(first, last)]


class TracedSessionStore(_TracedStore):
    """A session store."""

    def put(self, key: Any, start: int, end: int, value: Any) -> bool:
        """Set the value of a session."""
        found = self.store.find_sessions(key, end, start)
        before = next((row for first, last, row in found if (first, last) == (start, end)), None)
        kept: bool = self.store.put(key, start, end, self._changed((key, start, end), before, value))
        return kept

    def find_sessions(self, key: Any, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, Any]]:
        """Return sessions of a key."""
        found = self.store.find_sessions(key, earliest_end, latest_start)
        return [(start, end, self._read((key, start, end), value)) for start, end, value in found]

    def fetch_all(self) -> Sequence[tuple[Any, int, int, Any]]:
        """Return all sessions."""
        return [(key, start, end, self._read((key, start, end), row)) for key, start, end, row in self.store.fetch_all()]


class TracedVersionedStore(_TracedStore):
    """A versioned store."""

    def get(self, key: Any, as_of_timestamp: int | None = None) -> VersionedRecord | None:
        """Return a version of a key."""
        found: VersionedRecord | None = self.store.get(key, as_of_timestamp)
        self._read(key, found)
        return found

    def put(self, key: Any, value: Any, timestamp: int) -> bool:
        """Add a version of a key."""
        found = self.store.get(key, timestamp)
        before = None if found is None or found.timestamp != timestamp else found.value
        if value is None:
            self._changed(key, found, None)
        else:
            value = self._changed((key, timestamp), before, value)
        kept: bool = self.store.put(key, value, timestamp)
        return kept

    def delete(self, key: Any, timestamp: int) -> VersionedRecord | None:
        """Delete a key from a time on."""
        found: VersionedRecord | None = self.store.delete(key, timestamp)
        self._changed(key, found, None)
        return found
