"""Aggregates the records of each key in a record cache, which is written to the store at commits."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.context import DropReason
from eddyline.application.operators.undoable_entries import Entries
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import StoreChange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.operators.context import OperatorContext, ProcessMany, StreamForward, TableForward, UpdatesForward
    from eddyline.application.ports.state_store import UndoLog
    from eddyline.application.topology.nodes import AggregateNode, CombineNode
    from eddyline.application.topology.records import Headers


def can_be_cached(node: AggregateNode, context: OperatorContext) -> bool:
    """Return whether the store may be without the updates since the last commit.

    It may if only the last update of each key and commit is emitted, and `has_own_store` says so.
    """
    return context.is_cached(node.name) and has_own_store(node, context)


def has_own_store(node: AggregateNode, context: OperatorContext) -> bool:
    """Return whether nothing else in the task reads the store, and it has no versions."""
    return not (context.is_shared(node.store) or context.is_versioned(node.store))


def cached_aggregate(node: AggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Add each record to the aggregate of its key in the cache; put and forward the aggregates at the commit.

    The table, its updates and their order are those of `aggregate`: keys are forwarded in the order in which they were first
    updated, with the old value of the first update, the greatest timestamp of the key, and the headers of the last record.
    """
    store, drop = context.store(node.store), context.drop
    stored, initializer, adder, with_key = store.get, node.fold.initial, node.fold.add, node.fold.with_key
    cache = Entries(copied=context.undo is not None)
    opened = cache.open

    def begin(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None or value is None:
            drop(node.name, DropReason.NULL_KEY if key is None else DropReason.NULL_VALUE, key, value, timestamp, headers)
            return
        entry = opened.get(key) or cache.find(key)
        if entry is None:
            row = stored(key)
            before, newest = (None, timestamp) if row is None else row
            entry = [before, newest, headers, before]
        aggregate, newest, _, old = entry
        if aggregate is None:
            aggregate, newest = initializer(), timestamp
        new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
        opened[key] = [new, max(newest, timestamp), headers, old]

    write = _writing(store.put_all, context.updates_forward(node.name, forward))

    def commit() -> None:
        taken = dict(cache)
        cache.clear()
        if taken:
            each = ((key, partial(write, {key: entry})) for key, entry in taken.items())
            context.as_one_or_each(node.name, partial(write, taken), each)

    context.on_commit(commit)
    add_all = adding(node, opened, begin)
    process_all = add_all if context.undo is None else undoable_batch(node.store, cache, add_all, context.undo)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        process_all(RecordColumns((key,), (value,), (timestamp,), (headers,)))

    context.process_many(node.name, process_all)
    return process


def undoable_batch(store: str, cache: Entries, add_all: ProcessMany, undo: UndoLog) -> ProcessMany:
    """Return what adds many records to the entries of a cache so that it can be undone; they are to be checked for the store."""

    def process_all(records: RecordColumns) -> None:
        cache.open.clear()
        add_all(records)
        changed, restore = cache.close()
        undo.append(restore)
        rows = ((key, None if aggregate is None else (aggregate, newest)) for key, (aggregate, newest, *_) in changed.items())
        undo.changes += ((store, StoreChange(key, row)) for key, row in rows)

    return process_all


def _writing(
    put_all: Callable[[Mapping[Any, tuple[Any, int] | None]], None], forward: UpdatesForward
) -> Callable[[Mapping[Any, list[Any]]], None]:
    """Return a function that puts and forwards the aggregates of a cache."""

    def write(taken: Mapping[Any, list[Any]]) -> None:
        keys = list(taken)
        new, newest, headers, old = zip(*taken.values(), strict=True)
        rows = ((None if value is None else (value, timestamp)) for value, timestamp in zip(new, newest, strict=True))
        put_all(dict(zip(keys, rows, strict=True)))
        forward(UpdateColumns.of_commit(keys, new, old, newest, headers))

    return write


def adding(node: AggregateNode | CombineNode, entries: Mapping[Any, list[Any]], begin: StreamForward) -> ProcessMany:
    """Return a function that adds many records to the aggregates of their keys; `begin` begins those that do not exist.

    An entry has the aggregate, the greatest timestamp, and the headers of the last record first.
    """
    adder, with_key, get = node.fold.add, node.fold.with_key, entries.get

    def add_all(records: RecordColumns) -> None:
        for key, value, timestamp, headers in records.rows():
            entry = get(key)
            if entry is None or value is None or (aggregate := entry[0]) is None:
                begin(key, value, timestamp, headers)
                continue
            entry[0] = adder(key, aggregate, value) if with_key else adder(aggregate, value)
            if timestamp > entry[1]:
                entry[1] = timestamp
            entry[2] = headers

    def count_all(records: RecordColumns) -> None:
        """Do the same for the adder of `count` without calling it."""
        for key, value, timestamp, headers in records.rows():
            entry = get(key)
            if entry is None or value is None:
                begin(key, value, timestamp, headers)
                continue
            entry[0] += 1
            if timestamp > entry[1]:
                entry[1] = timestamp
            entry[2] = headers

    return count_all if node.fold.counts else add_all
