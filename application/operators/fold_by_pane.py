"""Folds the records of each key and pane: all records of a pane belong to the same windows.

One loop does it, for a table whose panes are merged into windows at commits, and for partial aggregates that are sent to other
tasks. They differ in which panes are open, and in what becomes of records that have none.
"""

from __future__ import annotations

from functools import partial as partial_call
from itertools import chain, repeat
from math import gcd, inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.context import NO_TIME, Cell, DropReason
from eddyline.application.operators.fold_by_key import collecting
from eddyline.application.operators.undoable_entries import updated
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.topology.windows import TimeWindows, windowed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eddyline.application.operators.context import (
        Drop,
        OperatorContext,
        ProcessMany,
        StreamForward,
        TableForward,
        UpdatesForward,
    )
    from eddyline.application.ports.state_store import WindowStore
    from eddyline.application.topology.aggregations import Fold
    from eddyline.application.topology.nodes import WindowAggregateNode, WindowCombineNode
    from eddyline.application.topology.records import Headers

_Partial: TypeAlias = "list[Any]"
"""A partial aggregate, the greatest timestamp of its records in ms since the epoch, the headers of the last one, their number."""

_Taken: TypeAlias = "tuple[Any, int, int, _Partial]"
"""A key, the pane, the first window and the partial aggregate."""

_Place: TypeAlias = "tuple[int, int, int, dict[Any, _Partial]]"
"""Start and end of a pane, the first window of its records, and their partial aggregates by key."""


class _Partials:
    """Partial aggregates by pane and first window, then by key.

    `started` has the key, the pane, the first window and the group of each of them, in the order in which they were started.
    """

    def __init__(self) -> None:
        self.groups: dict[tuple[int, int], dict[Any, _Partial]] = {}
        self.started: list[tuple[Any, int, int, dict[Any, _Partial]]] = []

    def place(self, start: int, end: int, first: int) -> _Place:
        """Return where records of a pane are folded."""
        return start, end, first, self.groups.setdefault((start, first), {})

    def opened(self, pane: int, first: int, key: Any, group: dict[Any, _Partial]) -> _Partial | None:
        """Return a copy of a partial aggregate that is put into a group, None if there is none."""
        found = self.groups.get((pane, first), _NO_GROUP).get(key)
        if found is None:
            return None
        copy = group[key] = found[:]
        return copy

    def take(self) -> list[_Taken]:
        """Remove the partial aggregates; return them with key, pane and first window, in the order in which they were started."""
        taken = [(key, pane, first, group[key]) for key, pane, first, group in self.started]
        self.clear()
        return taken

    def add(self, others: _Partials) -> Callable[[], None]:
        """Take the partial aggregates of a batch in place of those that they continue; return what restores these."""
        restored = [updated(self.groups.setdefault(place, {}), changed) for place, changed in others.groups.items()]
        count = len(self.started)
        self.started += [(key, pane, first, self.groups[pane, first]) for key, pane, first, _ in others.started]
        others.clear()

        def restore() -> None:
            del self.started[count:]
            for restore_group in restored:
                restore_group()

        return restore

    def clear(self) -> None:
        """Forget all partial aggregates."""
        self.groups.clear()
        self.started.clear()


_NO_GROUP: dict[Any, _Partial] = {}


class _OpenPanes(Protocol):
    """The panes in which records are folded.

    Attributes:
        partials: Receives the partial aggregates.
        kept: Those that they continue.
        stream_time: The greatest timestamp of the records with a key, in ms since the epoch.
        closes_at: The first stream time, in ms since the epoch, that may close a window of a pane.
    """

    partials: _Partials
    kept: _Partials
    stream_time: Cell
    closes_at: float

    def close(self) -> None:
        """Close what the stream time closes."""

    def place_of(self, key: Any, value: Any, timestamp: int, headers: Headers) -> _Place | None:
        """Return where a record is folded, None if it is in no pane; one that ends at NO_TIME is that of this record alone."""

    def without_key(self, value: Any, timestamp: int, headers: Headers) -> None:
        """Drop a record without a key."""


def folding(fold: Fold, panes: _OpenPanes) -> ProcessMany:  # noqa: C901 - the loop calls nothing that it can do itself
    """Return the loop that adds records to the partial aggregates of their key, their pane and their first window."""
    initial, add, with_key = fold.initial, fold.add, fold.with_key
    start_partial, stream_time, opened = panes.partials.started.append, panes.stream_time, panes.kept.opened
    is_continued = panes.kept is not panes.partials

    def fold_all(records: RecordColumns) -> None:
        pane = end = first = NO_TIME
        group = _NO_GROUP
        now, closes_at = stream_time.value, panes.closes_at
        for key, value, timestamp, headers in records.rows():
            if key is None:
                panes.without_key(value, timestamp, headers)
                continue
            if timestamp > now:
                stream_time.value = now = timestamp
            if now >= closes_at:
                panes.close()
                end, closes_at = NO_TIME, panes.closes_at
            if not pane <= timestamp < end:
                place = panes.place_of(key, value, timestamp, headers)
                closes_at = panes.closes_at
                if place is None:
                    end = NO_TIME
                    continue
                pane, end, first, group = place
            partial = group.get(key)
            if partial is None and is_continued:
                partial = opened(pane, first, key, group)
            if partial is None:
                aggregate = initial()
                new = add(key, aggregate, value) if with_key else add(aggregate, value)
                group[key] = [new, timestamp, headers, 1]
                start_partial((key, pane, first, group))
                continue
            partial[0] = add(key, partial[0], value) if with_key else add(partial[0], value)
            if timestamp > partial[1]:
                partial[1] = timestamp
            partial[2] = headers
            partial[3] += 1

    return fold_all


class Panes(NamedTuple):
    """Windows that consist of whole panes, and the function that merges two partial aggregates."""

    windows: TimeWindows
    merge: Callable[[Any, Any], Any]


def panes_of(node: WindowAggregateNode, context: OperatorContext) -> Panes | None:
    """Return the panes of an aggregation, None if it must not be done in panes.

    Pane aggregation gives the same table if the aggregates can be merged, the windows consist of whole panes, only the latest
    update per commit is emitted, and nothing else reads the store before the commit, not even to emit closed windows.
    """
    windows, merge = node.windows, node.fold.merge
    if merge is None or node.emit_on_close is not None:
        return None
    if not isinstance(windows, TimeWindows) or windows.size_ms % windows.advance_ms:
        return None
    if not context.is_cached(node.name) or context.is_shared(node.store):
        return None
    return Panes(windows, merge)


class _PanesOfTable:
    """The panes of an aggregation, each one advance of its windows long; a record that has a closed window is dropped."""

    def __init__(self, node: WindowAggregateNode, windows: TimeWindows, context: OperatorContext, drop: Drop) -> None:
        self._name, self._windows, self._drop = node.name, windows, drop
        self._oldest_open = 0
        self.partials = _Partials()
        self.kept = self.partials if context.undo is None else _Partials()
        self.stream_time = context.cell(node.name)
        self.closes_at: float = 0

    def close(self) -> None:
        windows = self._windows
        size, advance = windows.size_ms, windows.advance_ms
        closed = self.stream_time.value - windows.grace_ms
        self._oldest_open = max(0, (closed - size) // advance * advance + advance)
        self.closes_at = self._oldest_open + size + windows.grace_ms

    def place_of(self, key: Any, value: Any, timestamp: int, headers: Headers) -> _Place | None:
        advance = self._windows.advance_ms
        pane = timestamp - timestamp % advance
        first = pane + advance - self._windows.size_ms
        if first >= self._oldest_open:
            return self.partials.place(pane, pane + advance, first)
        closed = sum(window.start < self._oldest_open for window in self._windows.windows_for(timestamp))
        if closed:
            self._drop(self._name, DropReason.LATE, key, value, timestamp, headers, closed)
        return None if pane < self._oldest_open else self.partials.place(pane, NO_TIME, self._oldest_open)

    def without_key(self, value: Any, timestamp: int, headers: Headers) -> None:
        self._drop(self._name, DropReason.NULL_KEY, None, value, timestamp, headers)


def pane_aggregate(
    node: WindowAggregateNode, context: OperatorContext, forward: TableForward, panes: Panes, drop: Drop
) -> StreamForward:
    """Add each record to the partial aggregate of its key, its pane (one advance long) and the oldest open window.

    As without panes, a record counts for a window if `end > stream time - grace` when the record is processed. The oldest open
    window determines which windows these are, so records that arrive later start another partial aggregate. At the commit,
    partial aggregates are merged in the order in which they were started, so that an aggregation that keeps its first record
    keeps the same one. Windows are stored oldest first, so that none expires before it is stored.
    """
    open_panes = _PanesOfTable(node, panes.windows, context, drop)
    partials, kept, undo = open_panes.partials, open_panes.kept, context.undo
    context.keep_time(node.name, open_panes.stream_time)
    fold_all = folding(node.fold, open_panes)
    write = _merging(panes, context.store(node.store), context.updates_forward(node.name, forward))

    def process_all(records: RecordColumns) -> None:
        if undo is None:
            fold_all(records)
            return
        partials.clear()
        open_panes.closes_at = 0
        fold_all(records)
        rows = ((key, first, found) for (_, first), group in partials.groups.items() for key, found in group.items())
        undo.changes += ((node.store, StoreChange((key, first), (found[0], found[1]))) for key, first, found in rows)
        undo.append(kept.add(partials))

    def commit() -> None:
        taken = kept.take()
        if taken:
            context.as_one_or_each(node.name, partial_call(write, taken), _by_key(taken, write))

    context.on_commit(commit)
    context.process_many(node.name, process_all)
    return lambda *record: process_all(RecordColumns.of_one(*record))


class _PanesToSend:
    """The panes of records that are sent to the task that aggregates them, before one that may close a window of theirs."""

    def __init__(self, node: WindowCombineNode, forward: StreamForward) -> None:
        self._windows, self._forward = node.windows, forward
        self._single = node.fold.single()
        windows = node.windows
        self._length = gcd(windows.size_ms, windows.advance_ms) if isinstance(windows, TimeWindows) else None
        self.partials = self.kept = _Partials()
        self.stream_time = Cell(NO_TIME)
        self.closes_at: float = inf

    def close(self) -> None:
        """Forward all partial aggregates and forget them."""
        taken = self.partials.take()
        self.closes_at = inf
        for key, _, _, (aggregate, timestamp, headers, count) in taken:
            self._forward(key, (count, aggregate), timestamp, headers)

    def place_of(self, key: Any, value: Any, timestamp: int, headers: Headers) -> _Place | None:
        windows = self._windows.windows_for(timestamp)
        closes_at = windows[0].end + self._windows.grace_ms if windows else NO_TIME
        if closes_at <= self.stream_time.value:
            self.close()
            self._forward(key, (1, self._single(key, value)), timestamp, headers)
            return None
        self.closes_at = min(self.closes_at, closes_at)
        start = windows[0].start if self._length is None else timestamp - timestamp % self._length
        return self.partials.place(start, windows[0].end if self._length is None else start + self._length, start)

    def without_key(self, value: Any, timestamp: int, headers: Headers) -> None:
        pass


def combine_windows(node: WindowCombineNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Add each record to the partial aggregate of its key and pane; forward the partial aggregates at the commit.

    All records of a pane belong to the same windows, so a partial aggregate can be late as one record can. The task that merges
    it decides that, by a stream time that depends on the records of all tasks. What it decides is right for each record
    of the partial aggregate, because:

    - before a record that may close a window of a partial aggregate, all partial aggregates are forwarded;
    - a record that has no window, or one that may be closed already, is forwarded alone, after all partial aggregates.

    A window may be closed once the greatest timestamp of this task's records has reached its end and the grace period. Records of
    other tasks in the same batch do not close it earlier, since the task that merges always takes the record with the lowest
    timestamp of those that are next.

    A partial aggregate has the greatest timestamp of its records and the headers of the last one. Its value is a pair: the number
    of records, and the aggregate. Records with a null key are discarded, as they are before every repartition.
    """
    panes = _PanesToSend(node, forward)
    return collecting(node, context, folding(node.fold, panes), panes.close, panes.partials.clear)


def _by_key(taken: Sequence[_Taken], write: Callable[[Sequence[_Taken]], None]) -> Iterator[tuple[Any, Callable[[], None]]]:
    """Yield keys, and what writes their partial aggregates alone."""
    by_key: dict[Any, list[_Taken]] = {}
    for found in taken:
        by_key.setdefault(found[0], []).append(found)
    return ((key, partial_call(write, own)) for key, own in by_key.items())


def _merging(panes: Panes, store: WindowStore[Any, Any], forward: UpdatesForward) -> Callable[[Sequence[_Taken]], None]:
    """Return a function that merges panes into windows, puts these and forwards their updates.

    All are read before the first is put, and the newest window is observed first, so that nothing is put that has expired at
    the end of the commit.
    """
    windows, merge = panes
    advance = windows.advance_ms

    def merged_windows(taken: Sequence[_Taken]) -> dict[int, dict[Any, _Partial]]:
        merged: dict[int, dict[Any, _Partial]] = {}
        for key, pane, first, partial in taken:
            for start in range(first, pane + 1, advance):
                group = merged.get(start)
                if group is None:
                    group = merged[start] = {}
                before = group.get(key)
                group[key] = partial if before is None else _merged(merge, before, partial)
        return merged

    def updates_of(start: int, found: dict[Any, _Partial]) -> UpdateColumns:
        keys = list(found)
        new, timestamps, headers, _ = zip(*found.values(), strict=True)
        rows = store.fetch_each(keys, start)
        return UpdateColumns.of_commit(
            keys,
            [one if row is None else merge(row[0], one) for one, row in zip(new, rows, strict=True)],
            [None if row is None else row[0] for row in rows],
            [time if row is None else max(row[1], time) for time, row in zip(timestamps, rows, strict=True)],
            headers,
        )

    def write(taken: Sequence[_Taken]) -> None:
        merged = merged_windows(taken)
        updates = {start: updates_of(start, merged[start]) for start in sorted(merged)}
        store.observe(max(updates))
        for start, (keys, new, _, timestamps, *_) in updates.items():
            rows = [None if one is None else (one, time) for one, time in zip(new, timestamps, strict=True)]
            store.put_each(keys, rows, start)
        forwarded = [
            of_window._replace(keys=list(map(windowed_of, zip(of_window.keys, repeat(windows.window_at(start))))))
            for start, of_window in updates.items()
        ]
        forward(UpdateColumns(*(list(chain.from_iterable(columns)) for columns in zip(*forwarded, strict=True))))

    return write


def _merged(merge: Callable[[Any, Any], Any], one: _Partial, other: _Partial) -> _Partial:
    return [merge(one[0], other[0]), max(one[1], other[1]), *other[2:]]
