"""The read model: the contents of an application's state stores, kept outside the engine for queries.

It is built from the changelog topics of the stores. An entry has a sort key, bytes that sort as the keys of the store do
(`eddyline.application.queries.sort_keys`), and two times: the first and the last millisecond of its window or session, twice the
timestamp of its version, or 0 and 0 in stores without times. All times are milliseconds since the epoch.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_CHUNK: Final = 1_000
_LEAST_TIME: Final = -(1 << 63)


class EntryKey(NamedTuple):
    """What an entry is found by, within a store and a partition; entries are sorted by it."""

    sort_key: bytes
    start: int = 0
    end: int = 0


class StoredEntry(NamedTuple):
    """An entry of a store.

    Attributes:
        partition: The partition of the changelog, which is the number of the task.
        found_by: The sort key and the times of the entry.
        key: The key of the store entry, as the state codec encoded it.
        value: The value, likewise.
    """

    partition: int
    found_by: EntryKey
    key: bytes
    value: bytes


class EntryChange(NamedTuple):
    """A changed entry; `value` is None if it was deleted."""

    found_by: EntryKey
    key: bytes
    value: bytes | None


class StateProgress(NamedTuple):
    """What the state of a task includes.

    Attributes:
        batch: The number of the last batch.
        time_ms: The wall-clock time of that batch.
        stream_time_ms: The greatest timestamp that the task has seen, None if it has seen none.
        offsets: By source topic, the next offset of each partition: the records before it are included.
    """

    batch: int
    time_ms: int
    stream_time_ms: int | None
    offsets: Mapping[str, Sequence[int]]


class ChangelogPart(NamedTuple):
    """Consecutive records of one partition of a store's changelog.

    Attributes:
        store: The name of the store.
        partition: The partition of the changelog.
        start: The offset from which the records were read.
        end: The offset up to which they were read, exclusive.
        changes: The changed entries in order; if one occurs more than once, the last change counts.
        progress: What the state includes after these records, None if they do not say.
    """

    store: str
    partition: int
    start: int
    end: int
    changes: Sequence[EntryChange]
    progress: StateProgress | None


class ReadModel(ABC):
    """The entries of the state stores of one application.

    Any thread may call any method; readers see all changes of a part or none of them. Stores without entries are empty.
    """

    @abstractmethod
    def apply(self, part: ChangelogPart) -> bool:
        """Apply changes and remember the end offset, atomically.

        Returns:
            False if `part.start` is not the position of the partition: nothing was applied, since these records were applied
            before, or others are missing.
        """

    @abstractmethod
    def position(self, store: str, partition: int) -> int:
        """Return the offset of the changelog from which a partition continues; 0 if it has none yet."""

    @abstractmethod
    def progress(self, store: str) -> Mapping[int, StateProgress]:
        """Return what the state of each partition of a store includes; partitions without a record are missing."""

    @abstractmethod
    def find(
        self, store: str, sort_key: bytes, times: tuple[int, int], limit: int, *, after: tuple[int, int, int] | None = None
    ) -> Sequence[StoredEntry]:
        """Return the entries with a sort key that overlap a range of times, sorted as by `scan`.

        Args:
            store: The name of the store.
            sort_key: The sort key.
            times: The first and the last time, inclusive.
            limit: The greatest number of entries.
            after: The times and the partition of the entry after which the answer begins, None for all.
        """

    @abstractmethod
    def scan(
        self, store: str, first: EntryKey, before: bytes | None, limit: int, *, after_partition: int = -1
    ) -> Sequence[StoredEntry]:
        """Return entries sorted by `found_by`, then by partition.

        Args:
            store: The name of the store.
            first: The first entry; entries equal to it are included if their partition is greater than `after_partition`.
            before: The sort key before which the scan ends, None for all.
            limit: The greatest number of entries.
            after_partition: See `first`.
        """

    @abstractmethod
    def latest(self, store: str, after: bytes, limit: int) -> Sequence[StoredEntry]:
        """Return the last entry of each sort key greater than `after`, sorted by it; at most `limit` entries."""

    def entries(self, store: str) -> Iterator[StoredEntry]:
        """Return all entries of a store, sorted as by `scan`; those that change meanwhile may be old or new."""
        first, partition = EntryKey(b"", _LEAST_TIME, _LEAST_TIME), -1
        while found := self.scan(store, first, None, _CHUNK, after_partition=partition):
            yield from found
            first, partition = found[-1].found_by, found[-1].partition

    @abstractmethod
    def size(self, store: str) -> tuple[int, int]:
        """Return the number of entries of a store, and the bytes of their keys and values."""

    @abstractmethod
    def changelog_id(self, store: str) -> str | None:
        """Return the id of the changelog that a store is built from, as `clear` was given it; None if it was not."""

    @abstractmethod
    def clear(self, store: str, changelog_id: str) -> None:
        """Remove all entries, positions and progress of a store, to build it from another changelog."""

    @abstractmethod
    def remove(self, store: str, partition: int) -> None:
        """Remove the entries, the position and the progress of a partition, which another instance holds from now on."""

    def close(self) -> None:
        """Release files and connections; the instance can be used again afterwards."""
