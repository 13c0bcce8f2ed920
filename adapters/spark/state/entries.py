"""Encodes the state of a task as entries: those of its stores, the positions at which it continues to read, and waiting records.

The key of an entry begins with two bytes, the number of its store. The names of the stores are entries too, so that stores can
be added and removed between versions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from eddyline.adapters.spark.state.chunks import Entry
from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.state_store import StoreChange, UnencodableEntryError
from eddyline.application.runtime.plan.topic_types import state_codecs
from eddyline.application.runtime.task.state import NUMBERS
from eddyline.application.runtime.task.task import Task

NAMES: Final = b"\x00\x00"
POSITIONS: Final = b"\x00\x01"
WAITING: Final = b"\x00\x02"
FIRST_STORE: Final = 16
PREFIX_BYTES: Final = 2
_PORTION: Final = 1_024
"""The number of changes that are encoded at once: few enough for the caches of the processor."""


class _StoreCodec(NamedTuple):
    prefix: bytes
    key: Codec
    value: Codec


class EntryCodec:
    """Converts the changes of one task to entries and back; also has its positions, and its waiting records as frames."""

    def __init__(self, task: Task, codecs: Codecs) -> None:
        self._task, self._codecs = task, codecs
        self._numbers: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}
        self._stores: dict[str, _StoreCodec] = {}
        self._positions: dict[tuple[str, int], int] = {}
        self._new_names: list[Entry] = []
        self._waiting: dict[bytes, bytes] = {}
        self._encoded = frozenset(name for name, store in task.stores.items() if store.restore_encoded(()))

    @property
    def waiting(self) -> list[bytes]:
        """The frames of the records that wait for the next batch."""
        return [self._waiting[key] for key in sorted(self._waiting)]

    def set_waiting(self, frames: Iterable[bytes]) -> Iterator[Entry]:
        """Replace the frames of waiting records, and yield the entries that change."""
        waiting = {WAITING + number.to_bytes(4, "big"): frame for number, frame in enumerate(frames)}
        yield from waiting.items()
        yield from ((key, None) for key in self._waiting.keys() - waiting.keys())
        self._waiting = waiting

    def position(self, topic: str, partition: int) -> int | None:
        """Return the offset at which to continue in a partition, None if the task has processed the last batch completely."""
        return self._positions.get((topic, partition))

    def positions(self, unread: Mapping[TopicPartition, int | None]) -> Iterator[Entry]:
        """Yield the entries of changed positions; `unread` is None for a partition that was read to the end of the batch."""
        for (topic, partition), offset in unread.items():
            key = POSITIONS + f"{partition}:{topic}".encode()
            if offset is not None:
                self._positions[topic, partition] = offset
                yield key, str(offset).encode()
            elif self._positions.pop((topic, partition), None) is not None:
                yield key, None

    def drained(self) -> list[Entry]:
        """Drain the changes of the task, and return their entries. Raises CodecError."""
        entries: list[Entry] = []
        encoded = set()
        for name, store in self._task.stores.items():
            try:
                changes = store.drain_encoded()
            except UnencodableEntryError as error:
                self._task.note_unencodable(error, error.store, error.key)
                raise
            if changes is not None:
                encoded.add(name)
                if changes:
                    prefix = (self._stores.get(name) or self._codec(name)).prefix
                    entries += [(prefix + key, value) for key, value in changes]
        for name, found in self._task.drain_stores(encoded):
            for first in range(0, len(found), _PORTION):
                entries += self._encode(name, found[first : first + _PORTION])
        named, self._new_names = self._new_names, []
        return named + entries

    def _encode(self, store: str, changes: Sequence[StoreChange]) -> Iterator[Entry]:
        """Return the entries of changes of a store, by column; one by one to find the one that cannot be encoded."""
        prefix, key, value = self._stores.get(store) or self._codec(store)
        try:
            keys, values = zip(*changes, strict=True)
            encoded = key.encode_all(keys), value.encode_all(values)
        except CodecError:
            for change in changes:
                try:
                    key.encode(change.key), value.encode(change.value)
                except CodecError as error:
                    self._task.note_unencodable(error, store, change.key)
                    raise
            raise
        return ((prefix + (key_data or b""), value_data) for key_data, value_data in zip(*encoded, strict=True))

    def restored(self, entries: Iterable[Entry]) -> Iterator[tuple[str, StoreChange]]:
        """Yield the changes in entries; entries of stores that the topology no longer has are ignored."""
        entries = list(entries)
        for key, value in entries:
            if key.startswith(NAMES) and value is not None:
                self._register(key[PREFIX_BYTES:].decode(), value)
        known = {*self._task.stores, NUMBERS}
        for key, value in self._not_restored(entries):
            prefix = key[:PREFIX_BYTES]
            if prefix == POSITIONS:
                self._restore_position(key, value)
            elif prefix == WAITING:
                self._waiting.pop(key, None)
                if value is not None:
                    self._waiting[key] = value
            elif prefix != NAMES and (store := self._names[prefix]) in known:
                codec = self._stores.get(store) or self._codec(store)
                yield store, StoreChange(codec.key.decode(key[PREFIX_BYTES:]), codec.value.decode(value))

    def _not_restored(self, entries: list[Entry]) -> list[Entry]:
        """Restore the entries of those stores that need not decode their values, and return the others."""
        stores = self._task.stores
        encoded = {prefix: stores[name] for prefix, name in self._names.items() if name in self._encoded}
        if not encoded:
            return entries
        found: dict[bytes, list[Entry]] = {prefix: [] for prefix in encoded}
        others: list[Entry] = []
        for key, value in entries:
            prefix = key[:PREFIX_BYTES]
            if prefix in found:
                found[prefix].append((key[PREFIX_BYTES:], value))
            else:
                others.append((key, value))
        for prefix, store in encoded.items():
            store.restore_encoded(found[prefix])
        self._task.note_restored()
        return others

    def store_changes(self, entries: Iterable[Entry]) -> Iterator[tuple[str, bytes, bytes | None]]:
        """Yield store, key and value of those entries that belong to stores of the topology."""
        for key, value in entries:
            store = self._names.get(key[:PREFIX_BYTES])
            if store is not None and store != NUMBERS:
                yield store, key[PREFIX_BYTES:], value

    def _restore_position(self, key: bytes, value: bytes | None) -> None:
        partition, _, topic = key[PREFIX_BYTES:].decode().partition(":")
        if value is None:
            self._positions.pop((topic, int(partition)), None)
        else:
            self._positions[topic, int(partition)] = int(value)

    def _register(self, store: str, prefix: bytes) -> None:
        self._numbers[store], self._names[prefix] = prefix, store

    def _codec(self, store: str) -> _StoreCodec:
        prefix = self._numbers.get(store)
        if prefix is None:
            prefix = (FIRST_STORE + len(self._numbers)).to_bytes(PREFIX_BYTES, "big")
            self._register(store, prefix)
            self._new_names.append((NAMES + store.encode(), prefix))
        codec = self._stores[store] = _StoreCodec(prefix, *state_codecs(self._task.state_types(store), self._codecs))
        return codec
