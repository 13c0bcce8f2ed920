"""State stores as operators see them while origins are tracked: every read may have influence, every change is noted."""

from collections.abc import Callable
from typing import Any

from eddyline.application.lineage.origins import origins_of
from eddyline.application.lineage.store_reads import KeyValueReads, SessionReads, StoreReads, WindowReads
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


class _TracedStore(StoreReads):
    """Notes reads and changes."""

    def __init__(self, store: Any, tracker: Tracker) -> None:
        super().__init__(store, store.name)
        self._tracker = tracker

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


class TracedKeyValueStore(_TracedStore, KeyValueReads):
    """A key-value store."""

    def put(self, key: Any, value: Any) -> None:
        """Set the value of a key."""
        self._store.put(key, self._changed(key, self._store.get(key), value))

    def delete(self, key: Any) -> Any:
        """Delete a key and return its value."""
        value = self._store.delete(key)
        self._changed(key, value, None)
        return value


class TracedWindowStore(_TracedStore, WindowReads):
    """A window store."""

    def put(self, key: Any, value: Any, start: int) -> bool:
        """Set the value of a key and window start."""
        before = self._store.fetch(key, start) if value is None or self._keeps_changes else None
        kept: bool = self._store.put(key, self._changed((key, start), before, value), start)
        return kept


class TracedSessionStore(_TracedStore, SessionReads):
    """A session store."""

    def put(self, key: Any, start: int, end: int, value: Any) -> bool:
        """Set the value of a session."""
        found = self._store.find_sessions(key, end, start)
        before = next((row for first, last, row in found if (first, last) == (start, end)), None)
        kept: bool = self._store.put(key, start, end, self._changed((key, start, end), before, value))
        return kept


class TracedVersionedStore(_TracedStore):
    """A versioned store."""

    def get(self, key: Any, as_of_timestamp: int | None = None) -> VersionedRecord | None:
        """Return a version of a key."""
        found: VersionedRecord | None = self._store.get(key, as_of_timestamp)
        self._read(key, found)
        return found

    def put(self, key: Any, value: Any, timestamp: int) -> bool:
        """Add a version of a key."""
        found = self._store.get(key, timestamp)
        before = None if found is None or found.timestamp != timestamp else found.value
        if value is None:
            self._changed(key, found, None)
        else:
            value = self._changed((key, timestamp), before, value)
        kept: bool = self._store.put(key, value, timestamp)
        return kept

    def delete(self, key: Any, timestamp: int) -> VersionedRecord | None:
        """Delete a key from a time on."""
        found: VersionedRecord | None = self._store.delete(key, timestamp)
        self._changed(key, found, None)
        return found
