"""Folds the records of each key: into a table, with every update or the latest, or into partial aggregates.

One loop does it. It has an entry for each key: the aggregate, the greatest timestamp in ms since the epoch, the headers of the
last record, and the aggregate at the beginning.
"""

from __future__ import annotations

from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.context import DropReason
from eddyline.application.operators.tables import put_and_emission
from eddyline.application.operators.undoable_entries import Entries
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import store_change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.operators.context import OperatorContext, ProcessMany, StreamForward, TableForward, UpdatesForward
    from eddyline.application.ports.state_store import KeyValueStore, UndoLog
    from eddyline.application.topology.aggregations import Fold
    from eddyline.application.topology.nodes import AggregateNode, CombineNode
    from eddyline.application.topology.records import Headers

_Begin: TypeAlias = "Callable[[Any, Any, int, Headers], list[Any] | None]"
"""Returns the entry of a record's key, which it has opened, None if the record is dropped."""


class _Updates(NamedTuple):
    """What each record has changed: keys, new and old aggregates, timestamps in ms; and which records were dropped."""

    keys: list[Any]
    new: list[Any]
    old: list[Any]
    timestamps: list[int]
    dropped: list[int]

    def drop(self) -> None:
        """Note that the next record is dropped."""
        self.dropped.append(len(self.new) + len(self.dropped))

    def rows(self) -> list[tuple[Any, int] | None]:
        """Return the rows of the new aggregates."""
        return [None if new is None else (new, time) for new, time in zip(self.new, self.timestamps, strict=True)]

    def columns(self, records: RecordColumns) -> UpdateColumns:
        """Return the updates with the headers and origins of their records."""
        headers, origins = records.headers, records.origins
        if self.dropped:
            dropped = set(self.dropped)
            kept = [number not in dropped for number in range(len(headers))]
            headers, origins = list(compress(headers, kept)), list(compress(origins, kept))
        return UpdateColumns(*self[:4], headers, origins)


def _no_updates() -> _Updates:
    return _Updates([], [], [], [], [])


def folding(fold: Fold, entries: Mapping[Any, list[Any]], begin: _Begin) -> Callable[..., None]:
    """Return the loop that adds records to the entries of their keys; `begin` begins those that do not exist.

    It takes the records, and the updates to which each of them adds, if these are needed.
    """
    initial, add, with_key, get = fold.initial, fold.add, fold.with_key, entries.get

    def fold_all(records: RecordColumns, updates: _Updates | None = None) -> None:
        note_key, note_new, note_old, note_time = (column.append for column in (updates or _no_updates())[:4])
        for key, value, timestamp, headers in records.rows():
            entry = get(key)
            if entry is None or value is None:
                entry = begin(key, value, timestamp, headers)
                if entry is None:
                    if updates is not None:
                        updates.drop()
                    continue
            old = aggregate = entry[0]
            if aggregate is None:
                aggregate, entry[1] = initial(), timestamp
            entry[0] = add(key, aggregate, value) if with_key else add(aggregate, value)
            if timestamp > entry[1]:
                entry[1] = timestamp
            entry[2] = headers
            if updates is not None:
                note_key(key)
                note_new(entry[0])
                note_old(old)
                note_time(entry[1])

    return fold_all


def aggregate(node: AggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Add each record to the aggregate of its key, which has the greatest timestamp of its records.

    If only the last update of each key and commit is forwarded, and nothing else in the task reads the store, aggregates are put
    and forwarded at the commit: in the order in which they were first updated, with the old value of the first update, the
    greatest timestamp of the key, and the headers of the last record.
    """
    if not has_own_store(node, context):
        return _every_update(node, context, forward, None)
    if context.is_cached(node.name):
        return _latest(node, context, forward)
    return _every_update(node, context, forward, context.columns_forward(node.name, forward))


def has_own_store(node: AggregateNode, context: OperatorContext) -> bool:
    """Return whether nothing else in the task reads the store, and it has no versions, so that rows may be put later."""
    return not (context.is_shared(node.store) or context.is_versioned(node.store))


def _every_update(
    node: AggregateNode, context: OperatorContext, forward: TableForward, forward_all: UpdatesForward | None
) -> StreamForward:
    """Fold records and forward every update: of many records at once, if what follows takes many."""
    store = context.store(node.store)
    put, emit = put_and_emission(node.name, node.store, context, forward)
    entries: dict[Any, list[Any]] = {}
    fold_all = folding(node.fold, entries, _beginning(node, context, store, entries))

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        entries.clear()
        updates = _no_updates()
        fold_all(RecordColumns.of_one(key, value, timestamp, headers), updates)
        if updates.new:
            (row,) = updates.rows()
            put(key, row)
            emit(key, updates.new[0], updates.old[0], updates.timestamps[0], headers)

    if forward_all is not None:
        context.process_many(node.name, _many(node.store, context, entries, fold_all, forward_all))
    return process


def _many(
    name: str,
    context: OperatorContext,
    entries: dict[Any, list[Any]],
    fold_all: Callable[[RecordColumns, _Updates], None],
    forward_all: UpdatesForward,
) -> ProcessMany:
    """Return what folds many records, puts the aggregates into the store of this name, and forwards all updates."""
    store, undo = context.store(name), context.undo

    def process_all(records: RecordColumns) -> None:
        entries.clear()
        updates = _no_updates()
        fold_all(records, updates)
        rows = updates.rows()
        before = 0 if undo is None else len(undo.changes)
        if None in rows:
            for key, row in zip(updates.keys, rows, strict=True):
                store.put(key, row)  # one by one, so that each deletion is a change
        else:
            store.put_all(dict(zip(updates.keys, rows, strict=True)))
        if undo is not None:  # each of them is checked, not only what was put last
            undo.changes[before:] = ((name, store_change((key, row))) for key, row in zip(updates.keys, rows, strict=True))
        if rows:
            forward_all(updates.columns(records))

    return process_all


def _latest(node: AggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Fold records in a record cache; put and forward the aggregates at the commit."""
    store, undo = context.store(node.store), context.undo
    cache = Entries(copied=undo is not None)
    fold_all = folding(node.fold, cache.open, _beginning(node, context, store, cache.open, cache.find))
    write = _writing(store, context.updates_forward(node.name, forward))

    def commit() -> None:
        taken = dict(cache)
        cache.clear()
        if taken:
            each = ((key, partial(write, {key: entry})) for key, entry in taken.items())
            context.as_one_or_each(node.name, partial(write, taken), each)

    context.on_commit(commit)
    process_all = fold_all if undo is None else _undoable(node.store, cache, fold_all, undo)
    context.process_many(node.name, process_all)
    return lambda *record: process_all(RecordColumns.of_one(*record))


def _beginning(
    node: AggregateNode,
    context: OperatorContext,
    store: KeyValueStore[Any, Any],
    opened: dict[Any, list[Any]],
    find: Callable[[Any], list[Any] | None] | None = None,
) -> _Begin:
    """Return what opens the entry of a key: the one that `find` finds, or the row of the store; it drops records with a null."""
    stored, drop = store.get, context.drop

    def begin(key: Any, value: Any, timestamp: int, headers: Headers) -> list[Any] | None:
        if key is None or value is None:
            drop(node.name, DropReason.NULL_KEY if key is None else DropReason.NULL_VALUE, key, value, timestamp, headers)
            return None
        found = None if find is None else find(key)
        if found is not None:
            return found
        row = stored(key)
        before = None if row is None else row[0]
        entry = opened[key] = [before, timestamp if row is None else row[1], headers, before]
        return entry

    return begin


def _undoable(store: str, cache: Entries, add_all: ProcessMany, undo: UndoLog) -> ProcessMany:
    """Return what adds many records to the entries of a cache so that it can be undone; they are to be checked for the store."""

    def process_all(records: RecordColumns) -> None:
        cache.open.clear()
        add_all(records)
        changed, restore = cache.close()
        undo.append(restore)
        rows = ((key, None if aggregate is None else (aggregate, newest)) for key, (aggregate, newest, *_) in changed.items())
        undo.changes += ((store, store_change((key, row))) for key, row in rows)

    return process_all


def _writing(store: KeyValueStore[Any, Any], forward: UpdatesForward) -> Callable[[Mapping[Any, list[Any]]], None]:
    """Return a function that puts and forwards the aggregates of a cache."""

    def write(taken: Mapping[Any, list[Any]]) -> None:
        keys = list(taken)
        new, newest, headers, old = zip(*taken.values(), strict=True)
        rows = ((None if value is None else (value, timestamp)) for value, timestamp in zip(new, newest, strict=True))
        store.put_all(dict(zip(keys, rows, strict=True)))
        forward(UpdateColumns.of_commit(keys, new, old, newest, headers))

    return write


def combine(node: CombineNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Fold the records of each key before they are repartitioned; forward the partial aggregates at the commit.

    A partial aggregate has the greatest timestamp of its records and the headers of the last one. Records with a null key are
    discarded, as they are before every repartition; those with a null value are dropped, as by the aggregation.
    """
    drop = context.drop
    partials: dict[Any, list[Any]] = {}

    def begin(key: Any, value: Any, timestamp: int, headers: Headers) -> list[Any] | None:
        if key is None:
            return None
        if value is None:
            drop(node.aggregation, DropReason.NULL_VALUE, key, value, timestamp, headers)
            return None
        entry = partials[key] = [None, timestamp, headers]
        return entry

    def commit() -> None:
        taken = list(partials.items())
        partials.clear()
        for key, (aggregate, timestamp, headers) in taken:
            forward(key, aggregate, timestamp, headers)

    return collecting(node, context, folding(node.fold, partials, begin), commit, partials.clear)


def collecting(
    node: CombineNode, context: OperatorContext, collect: ProcessMany, flush: Callable[[], None], discard: Callable[[], None]
) -> StreamForward:
    """Register what collects records; return what does so with one record.

    What is collected is flushed at the commit; if records may be undone, after each batch, or discarded with it.
    """
    undo, process_all = context.undo, collect
    if undo is None:
        context.on_commit(flush)
    else:

        def process_all(records: RecordColumns) -> None:
            undo.append(discard)
            collect(records)
            flush()

    context.process_many(node.name, process_all)
    return lambda *record: process_all(RecordColumns.of_one(*record))
