"""State stores as processors of the user see them while origins are tracked: with plain values."""

from collections.abc import Callable
from typing import Any

from eddyline.application.lineage.origins import Origins, Traced, joined, origins_of, plain
from eddyline.application.lineage.store_reads import KeyValueReads, SessionReads, StoreReads, WindowReads
from eddyline.application.lineage.tracker import Frame, Read, Tracker
from eddyline.application.ports.state_store import VersionedRecord
from eddyline.application.topology.stores import StoreKind, StoreSpec


def plain_store(store: Any, spec: StoreSpec, tracker: Tracker) -> Any:
    """Return a store that a processor reads and writes with plain values."""
    kinds: dict[StoreKind, Callable[..., Any]] = {
        StoreKind.KEY_VALUE: _PlainKeyValueStore,
        StoreKind.WINDOW: _PlainWindowStore,
        StoreKind.SESSION: _PlainSessionStore,
        StoreKind.VERSIONED: _PlainVersionedStore,
    }
    return kinds.get(spec.kind, _OpaqueStore)(store, spec, tracker)


class _PlainStore(StoreReads):
    """Unwraps the rows that a processor reads, and wraps those that it puts."""

    def __init__(self, store: Any, spec: StoreSpec, tracker: Tracker) -> None:
        super().__init__(store, spec.name)
        self._timestamped, self._tracker = spec.timestamped, tracker

    @property
    def _frame(self) -> Frame:
        return self._tracker.frames[-1]

    def _read(self, key: Any, row: Any) -> Any:
        origins = self._tracker.deletions.get((self.name, key)) if row is None else origins_of(row)
        if self._tracker.frames:
            self._frame.reads.append(Read(key, origins))
        return plain(row)

    def _row(self, key: Any, value: Any) -> Any:
        """Return the row of a value that a processor puts."""
        if value is None:
            return None
        origins = self._frame.origins(key) if self._tracker.frames else None
        if self._timestamped and isinstance(value, tuple):
            return (Traced(value[0], origins), *value[1:])
        return Traced(value, origins)


class _PlainKeyValueStore(_PlainStore, KeyValueReads):
    def put(self, key: Any, value: Any) -> None:
        self._store.put(key, self._row(key, value))

    def delete(self, key: Any) -> Any:
        return self._read(key, self._store.delete(key))


class _PlainWindowStore(_PlainStore, WindowReads):
    def put(self, key: Any, value: Any, start: int) -> bool:
        return bool(self._store.put(key, self._row((key, start), value), start))


class _PlainSessionStore(_PlainStore, SessionReads):
    def put(self, key: Any, start: int, end: int, value: Any) -> bool:
        return bool(self._store.put(key, start, end, self._row((key, start, end), value)))


class _PlainVersionedStore(_PlainStore):
    def get(self, key: Any, as_of_timestamp: int | None = None) -> VersionedRecord | None:
        return self._version(key, self._store.get(key, as_of_timestamp))

    def put(self, key: Any, value: Any, timestamp: int) -> bool:
        return bool(self._store.put(key, self._row(key, value), timestamp))

    def delete(self, key: Any, timestamp: int) -> VersionedRecord | None:
        return self._version(key, self._store.delete(key, timestamp))

    def _version(self, key: Any, found: VersionedRecord | None) -> VersionedRecord | None:
        value = self._read(key, None if found is None else found.value)
        return None if found is None else found._replace(value=value)


class _OpaqueStore(_PlainStore):
    """A custom store of an unknown kind: whatever is read from it comes from all that was ever passed to it."""

    def __init__(self, store: Any, spec: StoreSpec, tracker: Tracker) -> None:
        super().__init__(store, spec, tracker)
        self._origins: Origins = None

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if not callable(method):
            return method

        def call(*arguments: Any, **named: Any) -> Any:
            if self._tracker.frames:
                self._frame.reads.append(Read(None, self._origins))
                self._origins = joined((self._origins, self._frame.origins(None)))
            return method(*arguments, **named)

        return call
