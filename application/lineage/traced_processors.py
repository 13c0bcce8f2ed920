"""Processors and transformers of the user, which get plain values; what they emit and store has origins nevertheless."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from eddyline.application.lineage.origins import Origins, Traced, joined, origins_of, plain
from eddyline.application.lineage.tracker import Frame, Read, Tracker
from eddyline.application.ports.state_store import VersionedRecord
from eddyline.application.topology import Topology
from eddyline.application.topology.processor import (
    Cancellable,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    ValueTransformerWithKey,
)
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import Duration


def traced_processor(
    supplier: Callable[[], Processor[Any, Any, Any, Any]], topology: Topology, tracker: Tracker
) -> Processor[Any, Any, Any, Any]:
    """Return a new processor that passes origins on."""
    return _TracedProcessor(supplier(), topology, tracker)


def traced_transformer(
    supplier: Callable[[], ValueTransformerWithKey[Any, Any, Any]], topology: Topology, tracker: Tracker
) -> ValueTransformerWithKey[Any, Any, Any]:
    """Return a new transformer that passes origins on."""
    return _TracedTransformer(supplier(), topology, tracker)


class _TracedProcessor(Processor[Any, Any, Any, Any]):
    def __init__(self, processor: Processor[Any, Any, Any, Any], topology: Topology, tracker: Tracker) -> None:
        self._processor, self._topology, self._tracker = processor, topology, tracker

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        with self._tracker.frame(None):
            self._processor.init(_TracedContext(context, self._topology, self._tracker))

    def process(self, record: Record[Any, Any]) -> None:
        given = joined((self._tracker.trigger, origins_of(record.value)))
        with self._tracker.frame(given):
            self._processor.process(record.with_value(plain(record.value)))

    def close(self) -> None:
        self._processor.close()


class _TracedTransformer(ValueTransformerWithKey[Any, Any, Any]):
    def __init__(self, transformer: ValueTransformerWithKey[Any, Any, Any], topology: Topology, tracker: Tracker) -> None:
        self._transformer, self._topology, self._tracker = transformer, topology, tracker

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        with self._tracker.frame(None):
            self._transformer.init(_TracedContext(context, self._topology, self._tracker))

    def transform(self, key: Any, value: Any) -> Any:
        with self._tracker.frame(joined((self._tracker.trigger, origins_of(value)))) as frame:
            return self._tracker.traced(self._transformer.transform(key, plain(value)), frame.origins(key))

    def close(self) -> None:
        self._transformer.close()


class _TracedContext(ProcessorContext[Any, Any]):
    """The context of a processor that gets plain values."""

    def __init__(self, context: ProcessorContext[Any, Any], topology: Topology, tracker: Tracker) -> None:
        self._context, self._topology, self._tracker = context, topology, tracker

    @property
    def task_id(self) -> str:
        return self._context.task_id

    @property
    def record_metadata(self) -> RecordMetadata | None:
        return self._context.record_metadata

    def forward(self, record: Record[Any, Any], *, to: str | None = None) -> None:
        value = self._tracker.traced(record.value, self._tracker.frames[-1].origins(record.key))
        self._context.forward(record.with_value(value), to=to)

    def drop(self, record: Record[Any, Any], reason: str) -> None:
        self._context.drop(record, reason)

    def state_store(self, name: str) -> Any:
        return _plain_store(self._context.state_store(name), self._topology.stores[name], self._tracker)

    def schedule(self, interval: Duration, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        def punctuate(now: int) -> None:
            with self._tracker.frame(self._tracker.trigger):
                callback(now)

        return self._context.schedule(interval, kind, punctuate)

    def current_stream_time_ms(self) -> int:
        return self._context.current_stream_time_ms()

    def current_system_time_ms(self) -> int:
        return self._context.current_system_time_ms()


# --- stores -------------------------------------------------------------------------------------------------------------


def _plain_store(store: Any, spec: StoreSpec, tracker: Tracker) -> Any:
    """Return a store that a processor reads and writes with plain values."""
    kinds: dict[StoreKind, Callable[..., Any]] = {
        StoreKind.KEY_VALUE: _PlainKeyValueStore,
        StoreKind.WINDOW: _PlainWindowStore,
        StoreKind.SESSION: _PlainSessionStore,
        StoreKind.VERSIONED: _PlainVersionedStore,
    }
    return kinds.get(spec.kind, _OpaqueStore)(store, spec, tracker)


class _PlainStore:
    """A store whose other methods are those of the store itself."""

    def __init__(self, store: Any, spec: StoreSpec, tracker: Tracker) -> None:
        self._store, self._timestamped, self._tracker = store, spec.timestamped, tracker
        self.name = spec.name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

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


class _PlainKeyValueStore(_PlainStore):
    def get(self, key: Any) -> Any:
        return self._read(key, self._store.get(key))

    def put(self, key: Any, value: Any) -> None:
        self._store.put(key, self._row(key, value))

    def delete(self, key: Any) -> Any:
        return self._read(key, self._store.delete(key))

    def put_if_absent(self, key: Any, value: Any) -> Any:
        present = self.get(key)
        if present is None:
            self.put(key, value)
        return present

    def range(self, first: Any = None, last: Any = None, *, reverse: bool = False) -> Iterator[tuple[Any, Any]]:
        return self._entries(self._store.range(first, last, reverse=reverse))

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
        return self._entries(self._store.prefix_scan(prefix))

    def _entries(self, entries: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        for key, value in entries:
            yield key, self._read(key, value)


class _PlainWindowStore(_PlainStore):
    def fetch(self, key: Any, start: int) -> Any:
        return self._read((key, start), self._store.fetch(key, start))

    def put(self, key: Any, value: Any, start: int) -> bool:
        return bool(self._store.put(key, self._row((key, start), value), start))

    def fetch_range(self, key: Any, first: int, last: int) -> Sequence[tuple[int, Any]]:
        return [(start, self._read((key, start), row)) for start, row in self._store.fetch_range(key, first, last)]

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[Any, int, Any]]:
        return [(key, start, self._read((key, start), row)) for key, start, row in self._store.fetch_all(first, last)]


class _PlainSessionStore(_PlainStore):
    def put(self, key: Any, start: int, end: int, value: Any) -> bool:
        return bool(self._store.put(key, start, end, self._row((key, start, end), value)))

    def find_sessions(self, key: Any, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, Any]]:
        found = self._store.find_sessions(key, earliest_end, latest_start)
        return [(start, end, self._read((key, start, end), row)) for start, end, row in found]

    def fetch_all(self) -> Sequence[tuple[Any, int, int, Any]]:
        return [(key, start, end, self._read((key, start, end), row)) for key, start, end, row in self._store.fetch_all()]


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
