"""Folds the records of each key and window, for windows that follow from a timestamp alone and may overlap.

Many records are folded at once where nothing else has to see the table between them. Consecutive records of a key belong to the
same windows mostly: their aggregates are read from the store once and put there once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.dictionary_column import DictionaryColumn
from eddyline.application.operators.emit_on_close import final_results
from eddyline.application.operators.fold_by_pane import pane_aggregate, panes_of
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import store_change
from eddyline.application.topology.windows import windowed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import (
        Drop,
        OperatorContext,
        ProcessMany,
        StreamForward,
        TableForward,
        UpdatesForward,
    )
    from eddyline.application.ports.state_store import UndoLog, WindowStore
    from eddyline.application.topology.nodes import WindowAggregateNode
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.windows import Window

    _RunFinder: TypeAlias = Callable[["_Runs", Any, Any, int, Headers], "_Run | None"]


def window_aggregate(node: WindowAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Add each record to the aggregates of all open windows that it belongs to, oldest window first.

    A window is open while `end > stream time - grace`, where stream time is the greatest timestamp of the operator's records
    with a key. A record is late, and dropped once, if any of its windows is closed; it is dropped, too, if it has no window.
    """
    drop = context.drop if node.records_in is None else _drop_each(context.drop, node.records_in)
    panes = panes_of(node, context)
    if panes is not None:
        return pane_aggregate(node, context, forward, panes, drop)
    results = final_results(node, context, forward, newest=lambda timestamp: node.windows.windows_for(timestamp)[-1].start)
    store = context.store(node.store)
    fetch, put = store.fetch, store.put
    windows_for, grace = node.windows.windows_for, node.windows.grace_ms
    initializer, adder, with_key = node.fold.initial, node.fold.add, node.fold.with_key
    emit = context.emission(node.name, forward) if results is None else results.update
    stream_time = context.cell(node.name)
    context.keep_time(node.name, stream_time, None if results is None else results.emit)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)
            return
        if timestamp > stream_time.value:
            stream_time.value = timestamp
        closed = stream_time.value - grace
        windows = windows_for(timestamp)
        if not windows:
            drop(node.name, DropReason.NO_WINDOW, key, value, timestamp, headers)
        elif windows[0].end <= closed:
            opened = [window for window in windows if window.end > closed]
            drop(node.name, DropReason.LATE, key, value, timestamp, headers, len(windows) - len(opened))
            windows = opened
        for window in windows:
            start = window.start
            row = fetch(key, start)
            if row is None:
                old = None
                aggregate = initializer()
                newest = timestamp
            else:
                aggregate = old = row[0]
                newest = row[1] if row[1] > timestamp else timestamp
            new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
            put(key, None if new is None else (new, newest), start)
            emit(windowed_of((key, window)), new, old, newest, headers)

    if results is not None:
        return results.wrap(process, null_values=True)
    _fold_together(node, context, forward, drop)
    return process


def _drop_each(drop: Drop, records_in: Callable[[Any], int]) -> Drop:
    """Return a function that drops each of the records that a partial aggregate stands for."""

    def drop_each(
        node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers, late_windows: int = 0, /
    ) -> None:
        for _ in range(records_in(value)):
            drop(node, reason, key, value, timestamp, headers, late_windows)

    return drop_each


class _Run:
    """The aggregates of a key in the windows of consecutive records, which are put when other windows follow.

    An aggregate is None in a window without one. `first_end` is the end of the window that closes first, `headers` are those of
    the last record.
    """

    __slots__ = ("_newest", "_starts", "_times", "_windows", "aggregates", "first_end", "headers", "indexes", "windowed")

    def __init__(self, key: Any, windows: Sequence[Window], opened: Sequence[Window], store: WindowStore[Any, Any]) -> None:
        self._windows = windows
        self._starts = [window.start for window in opened]
        self.windowed = [windowed_of((key, window)) for window in opened]
        self.first_end = min(window.end for window in opened)
        rows = [store.fetch(key, start) for start in self._starts]
        self.aggregates = [None if row is None else row[0] for row in rows]
        self._times = [-1 if row is None else row[1] for row in rows]
        self._newest = max(self._times)
        self.headers: Headers = ()
        self.indexes: Sequence[int] = ()

    def is_in(self, windows: Sequence[Window]) -> bool:
        """Return whether these are the windows of the run, all of them."""
        return (windows is self._windows or windows == self._windows) and len(windows) == len(self._starts)

    def updated(self, aggregates: list[Any], timestamp: int) -> list[int]:
        """Set the aggregates after a record; return the greatest timestamp of each."""
        if timestamp >= self._newest:
            self._newest = timestamp
            self._times = [timestamp] * len(aggregates)
        else:
            self._times = [
                timestamp if before is None or time < timestamp else time
                for before, time in zip(self.aggregates, self._times, strict=True)
            ]
            self._newest = max(self._times)
        self.aggregates = aggregates
        return self._times

    def put(self, key: Any, store: WindowStore[Any, Any]) -> None:
        """Put the aggregates into the store."""
        for start, aggregate, time in zip(self._starts, self.aggregates, self._times, strict=True):
            store.put(key, None if aggregate is None else (aggregate, time), start)

    def cache(self, update: TableForward) -> None:
        """Update a cache, which has the old values already unless the run has just begun: they are the aggregates then."""
        for windowed, aggregate, time in zip(self.windowed, self.aggregates, self._times, strict=True):
            update(windowed, aggregate, aggregate, time, self.headers)


class _Runs(dict[Any, _Run]):
    """The runs of the keys, of which none has windows newer than those in the store."""

    def __init__(self, store: WindowStore[Any, Any]) -> None:
        super().__init__()
        self._store = store

    def begin(self, key: Any, windows: Sequence[Window], opened: Sequence[Window]) -> _Run:
        """Begin a run of a key; put what precedes it, so that entries expire after they were put."""
        store = self._store
        newest = opened[-1].start
        before = self.pop(key, None)
        if before is not None:
            self._put(key, before)
        if newest > store.newest:
            self.put_all()
            store.observe(newest)
        run = self[key] = _Run(key, windows, opened, store)
        return run

    def put_all(self) -> None:
        """Put all aggregates into the store."""
        for key, run in self.items():
            self._put(key, run)
        self.clear()

    def _put(self, key: Any, run: _Run) -> None:
        run.put(key, self._store)


class _IndexedRuns(_Runs):
    """Runs that have the indexes of their windowed keys in `windowed`, which has those of all runs that were begun."""

    def __init__(self, store: WindowStore[Any, Any]) -> None:
        super().__init__(store)
        self.windowed: list[Any] = []

    def begin(self, key: Any, windows: Sequence[Window], opened: Sequence[Window]) -> _Run:
        """Begin a run of a key, as other runs."""
        run, first = super().begin(key, windows, opened), len(self.windowed)
        self.windowed += run.windowed
        run.indexes = list(range(first, len(self.windowed)))
        return run


class _CachedRuns(_Runs):
    """Runs that pass their aggregates, when they are put, to a cache that has the last update of each key and window.

    It is updated when a run begins as well, since it keeps the order in which its keys were first updated, and the old value of
    the first update.
    """

    def __init__(self, store: WindowStore[Any, Any], update: TableForward) -> None:
        super().__init__(store)
        self._update = update

    def begin(self, key: Any, windows: Sequence[Window], opened: Sequence[Window]) -> _Run:
        """Begin a run of a key, as other runs."""
        run = super().begin(key, windows, opened)
        run.cache(self._update)
        return run

    def _put(self, key: Any, run: _Run) -> None:
        super()._put(key, run)
        run.cache(self._update)


def _fold_together(node: WindowAggregateNode, context: OperatorContext, forward: TableForward, drop: Drop) -> None:
    """Let many records of a node be aggregated at once, as `window_aggregate` does for one, if the results are the same.

    They are if nothing else reads the store, and only the last update of each key and commit is emitted, or what follows takes
    many updates at once. If an operator downstream raises an exception then, they are forwarded one by one.
    """
    if context.is_shared(node.store):
        return
    store, run_of = context.store(node.store), _run_finder(node, context, drop)
    if context.is_cached(node.name):
        context.process_many(node.name, _cached(node, store, run_of, context.emission(node.name, forward)))
        return
    forward_all = context.columns_forward(node.name, forward)
    if forward_all is not None:
        context.process_many(node.name, _every_update(node, store, run_of, forward_all, context.undo))


def _cached(node: WindowAggregateNode, store: WindowStore[Any, Any], run_of: _RunFinder, update: TableForward) -> ProcessMany:
    add = _adding(node)

    def process_all(records: RecordColumns) -> None:
        runs = _CachedRuns(store, update)
        for key, value, timestamp, headers in records.rows():
            run = run_of(runs, key, value, timestamp, headers)
            if run is not None:
                run.updated(add(key, run.aggregates, value), timestamp)
                run.headers = headers
        runs.put_all()

    return process_all


def _every_update(
    node: WindowAggregateNode,
    store: WindowStore[Any, Any],
    run_of: _RunFinder,
    forward_all: UpdatesForward,
    undo: UndoLog | None,
) -> ProcessMany:
    add = _adding(node)

    def process_all(records: RecordColumns) -> None:
        runs = _IndexedRuns(store)
        begin = 0 if undo is None else len(undo.changes)
        indexes: list[int] = []
        new: list[Any] = []
        old: list[Any] = []
        timestamps: list[int] = []
        all_headers: list[Headers] = []
        origins: list[int] = []
        for (key, value, timestamp, headers), origin in zip(records.rows(), records.origins, strict=False):
            run = run_of(runs, key, value, timestamp, headers)
            if run is not None:
                old += run.aggregates
                updated = add(key, run.aggregates, value)
                indexes += run.indexes
                new += updated
                timestamps += run.updated(updated, timestamp)
                all_headers += [headers] * len(updated)
                origins += [origin] * len(updated)
        runs.put_all()
        keys = DictionaryColumn(runs.windowed, indexes)
        if undo is not None:
            found = zip(keys, new, timestamps, strict=True)
            undo.changes[begin:] = (  # each of them is checked, not only what was put last
                (node.store, store_change(((at.key, at.window.start), None if one is None else (one, time))))
                for at, one, time in found
            )
        if new:
            forward_all(UpdateColumns(keys, new, old, timestamps, all_headers, origins))

    return process_all


def _adding(node: WindowAggregateNode) -> Callable[[Any, list[Any], Any], list[Any]]:
    """Return a function that returns the aggregates of a key after a value was added to each."""
    adder, with_key, initializer = node.fold.add, node.fold.with_key, node.fold.initial

    def add_with_key(key: Any, aggregates: list[Any], value: Any) -> list[Any]:
        return [adder(key, initializer() if old is None else old, value) for old in aggregates]

    def add(_key: Any, aggregates: list[Any], value: Any) -> list[Any]:
        return [adder(initializer() if old is None else old, value) for old in aggregates]

    return add_with_key if with_key else add


def _run_finder(node: WindowAggregateNode, context: OperatorContext, drop: Drop) -> _RunFinder:
    """Return a function that returns the run that a record belongs to; it begins it, or drops the record."""
    name, stream_time = node.name, context.cell(node.name)
    windows_for, grace = node.windows.windows_for, node.windows.grace_ms

    def begin(runs: _Runs, windows: Sequence[Window], key: Any, value: Any, timestamp: int, headers: Headers) -> _Run | None:
        if not windows:
            drop(name, DropReason.NO_WINDOW, key, value, timestamp, headers)
        closed = stream_time.value - grace
        opened = [window for window in windows if window.end > closed]
        if len(opened) < len(windows):
            drop(name, DropReason.LATE, key, value, timestamp, headers, len(windows) - len(opened))
        return runs.begin(key, windows, opened) if opened else None

    def run_of(runs: _Runs, key: Any, value: Any, timestamp: int, headers: Headers) -> _Run | None:
        if key is None:
            drop(name, DropReason.NULL_KEY, key, value, timestamp, headers)
            return None
        if timestamp > stream_time.value:
            stream_time.value = timestamp
        windows, run = windows_for(timestamp), runs.get(key)
        if run is not None and run.first_end > stream_time.value - grace and run.is_in(windows):
            return run
        return begin(runs, windows, key, value, timestamp, headers)

    return run_of
