"""Answers queries from a read model that follows the changelogs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.read_model import EntryKey, StoredEntry
from eddyline.application.queries.answers import (
    Answer,
    Freshness,
    IncompleteError,
    InvalidQueryError,
    NotFreshError,
    RowPosition,
    StoreInfo,
    UnknownStoreError,
)
from eddyline.application.queries.cursors import cursor_after, position_of
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.freshness import SourceEnds, freshness_of
from eddyline.application.queries.queryable_store import QueryableStore
from eddyline.application.queries.sort_keys import after_prefix
from eddyline.application.queries.state_queries import Offsets, StateQueries
from eddyline.application.queries.store_subscription import StoreSubscription
from eddyline.application.queries.subscriptions import Subscription
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.errors import listed, suggested
from eddyline.application.topology.stores import StoreKind

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1
_MOST_ROWS: Final = 100_000
_CHUNK: Final = 1_000
_NO_STORES: Final = "no store has a changelog yet; run the flow with --serve"

FoundRow: TypeAlias = tuple[int, StoreRow, StoredEntry]
"""The number of the key that was asked for, a row, and its entry."""


class ModelQueries(StateQueries):
    """Answers from the model of a follower.

    The freshness of an answer is read before its rows, which are at least as fresh.

    Args:
        follower: Follows the changelogs, in a thread or when `catch_up` is called.
        log: The event log with the source topics.
    """

    def __init__(self, follower: ChangelogFollower, log: EventLog) -> None:
        self._follower, self._model = follower, follower.model
        self._log, self._ends = log, SourceEnds(log)
        self._sources = [spec.name for spec in follower.topology.source_topics if not spec.global_]
        self._topics: dict[str, Sequence[str]] = {}

    def stores(self) -> Sequence[StoreInfo]:
        """Return the stores that have a changelog, sorted by name."""
        return [self.store(name) for name in sorted(self._follower.stores)]

    def store(self, name: str) -> StoreInfo:
        """Return one store."""
        store = self._store(name)
        entries, size_bytes = self._model.size(name)
        partitions, held = self._follower.partitions(name), self._held(name)
        return StoreInfo(
            name,
            store.spec.kind,
            store.key_type,
            store.value_type,
            partitions,
            entries,
            size_bytes,
            self.freshness(name),
            self._follower.shown,
            self._follower.records_per_second(name),
            None if len(held) == partitions else held,
            self._follower.names,
        )

    def get(self, store: str, *keys: Any, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the rows of these keys in this order, all windows, sessions and versions of each."""
        return self._of_keys(self._store(store), keys, (_LEAST, _GREATEST), limit, cursor)

    def range(self, store: str, first: Any = None, last: Any = None, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows with `first <= key <= last` in key order; None leaves that side unbounded."""
        found = self._store(store)
        start = b"" if first is None else found.sort_key_of(first)
        before = None if last is None else found.sort_key_of(last) + b"\x00"
        return self._page(found, start, before, limit, cursor)

    def prefix(self, store: str, prefix: Any, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the rows whose keys begin with a text, or with the fields of a tuple, in key order."""
        found = self._store(store)
        start = found.sort_prefix_of(prefix)
        return self._page(found, start, after_prefix(start), limit, cursor)

    def windows(self, store: str, key: Any, first: int, last: int, *, limit: int = 1_000, cursor: str | None = None) -> Answer:
        """Return the windows or sessions of a key that overlap the times from `first` to `last`, in order."""
        found = self._store(store)
        self._require(found, StoreKind.WINDOW, StoreKind.SESSION)
        if first > last:
            raise InvalidQueryError(f"the time '{first}' is after '{last}'; pass the earlier time first")
        return self._of_keys(found, [key], (first, last), limit, cursor)

    def version(self, store: str, key: Any, as_of: int) -> Answer:
        """Return the version of a key's value that was valid at a time; no row if there was none."""
        found = self._store(store)
        self._require(found, StoreKind.VERSIONED)
        part = self._part(found)
        versions = found.rows(self._found(store, found.sort_key_of(key), (_LEAST, _GREATEST), None, _CHUNK))
        valid = (
            (row, entry)
            for row, entry in versions
            if row.timestamp is not None and row.timestamp <= as_of and (row.valid_to is None or as_of < row.valid_to)
        )
        return part.answer(((0, row, entry) for row, entry in valid), _MOST_ROWS)

    def latest(self, store: str, *, limit: int = 100, cursor: str | None = None) -> Answer:
        """Return the latest row of every key, in key order."""
        found, after = self._store(store), b""
        if cursor is not None:
            after = position_of(store, cursor)[0].sort_key
        part = self._part(found)
        rows = ((0, found.row(entry), entry) for entry in self._latest_entries(store, after, _checked(limit)))
        return part.answer((row for row in rows if row[1].value is not None), limit)

    def finds_at_once(self, store: str) -> bool:
        """Return whether a key has one row, and the ends of the source topics are known."""
        found = self._follower.stores.get(store)
        topics = self._topics.get(store)
        return found is not None and found.spec.kind is StoreKind.KEY_VALUE and topics is not None and self._ends.known(topics)

    def freshness(self, store: str) -> Freshness:
        """Return how fresh the answers about a store are."""
        self._store(store)
        found = freshness_of(
            self._model.progress(store),
            self._held(store),
            self._sources,
            self._ends,
            restoring=self._follower.restoring(store),
        )
        self._topics[store] = tuple(found.offsets)
        return found

    def subscribe(self, store: str, after: str | None, on_change: Callable[[], None]) -> Subscription:
        """Follow the changes of a store."""
        return StoreSubscription(self._follower, self._log, partial(self._store, store), after, on_change)

    def wait_for(self, store: str, offsets: Offsets, timeout_s: float) -> Freshness:
        """Wait until a store includes the records before these offsets."""
        self._store(store)
        if self._follower.held(store) == []:
            return self.freshness(store)
        known = self.freshness(store).offsets
        for topic, wanted in offsets.items():
            if topic not in known:
                raise InvalidQueryError(f"topic '{topic}' is no source of store '{store}'; choose one of: {listed(known)}")
            for partition in wanted:
                if not 0 <= partition < max(len(known[topic]), len(self._ends.bounds(topic))):
                    raise InvalidQueryError(f"topic '{topic}' has no partition {partition}; it has 0 to {len(known[topic]) - 1}")
        if self._follower.wait_until(lambda: not self._missing(store, offsets), timeout_s):
            return self.freshness(store)
        missing = ", ".join(
            f"topic '{topic}', partition {partition} at {reached} of {wanted}"
            for topic, partition, reached, wanted in self._missing(store, offsets)
        )
        raise NotFreshError(
            f"store '{store}' does not include the offsets after {timeout_s:g} s: {missing}; check that the flow runs, or wait "
            "longer"
        )

    def _held(self, store: str) -> Sequence[int]:
        return () if self._follower.joining(store) else self._follower.held(store)

    def _missing(self, store: str, offsets: Offsets) -> list[tuple[str, int, int, int]]:
        """Return topic, partition, offset reached and offset wanted of the partitions that are behind."""
        reached = self.freshness(store).offsets
        return [
            (topic, partition, number, wanted)
            for topic, partitions in offsets.items()
            for partition, wanted in partitions.items()
            if (number := dict(enumerate(reached.get(topic, ()))).get(partition, 0)) < wanted
        ]

    def _of_keys(
        self, store: QueryableStore, keys: Sequence[Any], times: tuple[int, int], limit: int, cursor: str | None
    ) -> Answer:
        name, chunk = store.spec.name, min(_checked(limit) + 2, _CHUNK)
        sort_keys = list(dict.fromkeys(map(store.sort_key_of, keys)))
        begin, after = 0, None
        if cursor is not None:
            last, partition = position_of(name, cursor)
            if last.sort_key not in sort_keys:
                raise _foreign_cursor(name, cursor)
            begin, after = sort_keys.index(last.sort_key), (last.start, last.end, partition)

        def rows() -> Iterator[FoundRow]:
            for number in range(begin, len(sort_keys)):
                entries = self._found(name, sort_keys[number], times, after if number == begin else None, chunk)
                for row, entry in store.rows(entries):
                    yield number, row, entry

        return self._part(store).answer(rows(), limit)

    def _page(self, store: QueryableStore, start: bytes, before: bytes | None, limit: int, cursor: str | None) -> Answer:
        name, first, partition = store.spec.name, EntryKey(start, _LEAST, _LEAST), -1
        if cursor is not None:
            first, partition = position_of(name, cursor)
            if first.sort_key < start or (before is not None and first.sort_key >= before):
                raise _foreign_cursor(name, cursor)
        part = self._part(store)
        entries = self._entries(name, first, partition, before, _checked(limit))
        return part.answer(((0, row, entry) for row, entry in store.rows(entries)), limit)

    def _part(self, store: QueryableStore) -> "_Part":
        name = store.spec.name
        return _Part(self._follower, name, self._follower.held(name), self.freshness(name))

    def _found(
        self, name: str, sort_key: bytes, times: tuple[int, int], after: tuple[int, int, int] | None, chunk: int
    ) -> Iterator[StoredEntry]:
        while found := self._model.find(name, sort_key, times, chunk, after=after):
            yield from found
            if len(found) < chunk:
                return
            after = (found[-1].found_by.start, found[-1].found_by.end, found[-1].partition)

    def _entries(self, name: str, first: EntryKey, partition: int, before: bytes | None, limit: int) -> Iterator[StoredEntry]:
        chunk = min(limit + 2, _CHUNK)
        while found := self._model.scan(name, first, before, chunk, after_partition=partition):
            yield from found
            first, partition = found[-1].found_by, found[-1].partition

    def _latest_entries(self, name: str, after: bytes, limit: int) -> Iterator[StoredEntry]:
        chunk = min(limit + 1, _CHUNK)
        while found := self._model.latest(name, after, chunk):
            yield from found
            after = found[-1].found_by.sort_key

    def _store(self, name: str) -> QueryableStore:
        found = self._follower.stores.get(name)
        if found is not None:
            return found
        if name in self._follower.topology.stores:
            raise UnknownStoreError(
                f"store '{name}' has no changelog; run the flow with --serve, or with the setting changelog.stores={name}, or "
                f"declare it with builder.queryable('{name}')"
            )
        stores = sorted(self._follower.stores)
        raise UnknownStoreError(f"unknown store '{name}'; {suggested(name, stores, None if stores else _NO_STORES)}")

    @staticmethod
    def _require(store: QueryableStore, *kinds: StoreKind) -> None:
        if store.spec.kind not in kinds:
            wanted = " or ".join(kind.value for kind in kinds)
            raise InvalidQueryError(
                f"store '{store.spec.name}' is a {store.spec.kind.value} store, not a {wanted} store; get the key"
            )


def _checked(limit: int) -> int:
    if not 1 <= limit <= _MOST_ROWS:
        raise InvalidQueryError(f"invalid limit '{limit}'; choose a number from 1 to {_MOST_ROWS}")
    return limit


def _foreign_cursor(store: str, cursor: str) -> InvalidQueryError:
    return InvalidQueryError(f"cursor '{cursor}' belongs to another query of store '{store}'; pass the same keys as before")


class _Part(NamedTuple):
    """The partitions of a store that this instance held, and its freshness, before an answer was read."""

    follower: ChangelogFollower
    store: str
    held: Sequence[int]
    freshness: Freshness

    def answer(self, rows: Iterable[FoundRow], limit: int) -> Answer:
        """Return the first rows as an answer.

        Raises:
            IncompleteError: partitions moved to or from this instance meanwhile.
        """
        held, count = self.held, self.follower.partitions(self.store)
        if len(held) < count:  # a partition that was held may not be removed yet
            rows = (row for row in rows if row[2].partition in held)
        found = list(islice(rows, limit + 1))
        cursor = cursor_after(self.store, found[limit - 1][2].found_by, found[limit - 1][2].partition) if found[limit:] else None
        if self.follower.held(self.store) is not held:
            raise IncompleteError(f"partitions of store '{self.store}' are moving between instances; try again")
        return Answer(
            [row for _, row, _ in found[:limit]],
            cursor,
            self.freshness,
            [RowPosition(number, *entry.found_by, entry.partition) for number, _, entry in found[:limit]],
            held,
            () if len(held) == count else [number for number in range(count) if number not in held],
        )
