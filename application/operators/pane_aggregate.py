"""Pane aggregation: records of hopping windows are aggregated once per pane, and panes are merged into windows at commits."""

from __future__ import annotations

from functools import partial as partial_call
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.context import DropReason
from eddyline.application.operators.undoable_entries import updated
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.topology.windows import TimeWindows, windowed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eddyline.application.operators.context import Drop, OperatorContext, StreamForward, TableForward, UpdatesForward
    from eddyline.application.ports.state_store import UndoLog, WindowStore
    from eddyline.application.topology.nodes import WindowAggregateNode
    from eddyline.application.topology.records import Headers

_Partial: TypeAlias = "list[Any]"
"""A partial aggregate, the greatest timestamp of its records in ms since the epoch, and the headers of the last one."""

_Taken: TypeAlias = "tuple[Any, int, int, _Partial]"
"""A key, the pane, the first window and the partial aggregate."""


class _Partials:
    """The partial aggregates since the last commit, by pane and first window, then by key.

    `started` has the key, the pane, the first window and the group of each of them, in the order in which they were started. A
    group stays valid after they were taken.
    """

    def __init__(self) -> None:
        self.groups: dict[tuple[int, int], dict[Any, _Partial]] = {}
        self.started: list[tuple[Any, int, int, dict[Any, _Partial]]] = []

    def opened(self, pane: int, first: int, key: Any, group: dict[Any, _Partial]) -> _Partial | None:
        """Return a copy of a partial aggregate that is put into a group, None if there is none."""
        found = self.groups.get((pane, first), _NO_GROUP).get(key)
        if found is None:
            return None
        copy = group[key] = found[:]
        return copy

    def take(self) -> list[_Taken]:
        """Remove the partial aggregates; return them with key, pane and first window, in the order in which they were started."""
        taken = [(key, pane, first, group.pop(key)) for key, pane, first, group in self.started]
        self.started.clear()
        self.groups.clear()
        return taken

    def add(self, others: _Partials) -> Callable[[], None]:
        """Take the partial aggregates of a batch in place of those that they continue; return what restores these."""
        restored = [updated(self.groups.setdefault(place, {}), changed) for place, changed in others.groups.items()]
        count = len(self.started)
        self.started += [(key, pane, first, self.groups[pane, first]) for key, pane, first, _ in others.started]
        others.groups.clear()
        others.started.clear()

        def restore() -> None:
            del self.started[count:]
            for restore_group in restored:
                restore_group()

        return restore


_NO_GROUP: dict[Any, _Partial] = {}


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


def pane_aggregate(  # noqa: C901, PLR0915 - what the records of a pane share is in variables of the function, the fastest place
    node: WindowAggregateNode, context: OperatorContext, forward: TableForward, panes: Panes, drop: Drop
) -> StreamForward:
    """Add each record to the partial aggregate of its key, its pane (one advance long) and the oldest open window.

    As without panes, a record counts for a window if `end > stream time - grace` when the record is processed. The oldest open
    window determines which windows these are, so records that arrive later start another partial aggregate. At the commit,
    partial aggregates are merged in the order in which they were started, so that an aggregation that keeps its first record
    keeps the same one. Windows are stored oldest first, so that none expires before it is stored.
    """
    windows = panes.windows
    size, advance, grace = windows.size_ms, windows.advance_ms, windows.grace_ms
    first_of_pane = size - advance
    initializer, adder, with_key = node.fold.initial, node.fold.add, node.fold.with_key
    stream_time = context.cell(node.name)
    context.keep_time(node.name, stream_time)
    partials = _Partials()
    kept = partials if context.undo is None else _Partials()
    groups, start = partials.groups, partials.started.append
    drop_late = _late_drops(node.name, windows, drop)
    oldest_open = _oldest_open(stream_time.value - grace, size, advance)
    valid_until = -1
    pane = first = next_pane = -1
    group = partials.groups.setdefault((pane, first), {})

    def process_all(records: RecordColumns) -> None:  # noqa: C901 - it calls nothing that it can do itself
        nonlocal oldest_open, valid_until, pane, first, next_pane, group
        now = stream_time.value
        for key, value, timestamp, headers in records.rows():
            if key is None:
                drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)
                continue
            if timestamp > now:
                stream_time.value = now = timestamp
            if now > valid_until:
                oldest_open = _oldest_open(now - grace, size, advance)
                valid_until = oldest_open + size + grace - 1
                next_pane = -1
            if not pane <= timestamp < next_pane:
                pane = timestamp - timestamp % advance
                first = pane - first_of_pane
                next_pane = pane + advance
                if first < oldest_open:
                    next_pane = -1
                    drop_late(oldest_open, key, value, timestamp, headers)
                    if pane < oldest_open:
                        continue
                    first = oldest_open
                group = groups.setdefault((pane, first), {})
            partial = group.get(key)
            if partial is None and kept is not partials:
                partial = kept.opened(pane, first, key, group)
            if partial is None:
                aggregate = initializer()
                new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
                group[key] = [new, timestamp, headers]
                start((key, pane, first, group))
                continue
            partial[0] = adder(key, partial[0], value) if with_key else adder(partial[0], value)
            if timestamp > partial[1]:
                partial[1] = timestamp
            partial[2] = headers

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        now = stream_time.value
        is_open = pane <= timestamp < next_pane and timestamp <= valid_until >= now
        partial = group.get(key) if is_open else None
        if partial is None:
            process_all(RecordColumns((key,), (value,), (timestamp,), (headers,)))
            return
        if timestamp > now:
            stream_time.value = timestamp
        partial[0] = adder(key, partial[0], value) if with_key else adder(partial[0], value)
        if timestamp > partial[1]:
            partial[1] = timestamp
        partial[2] = headers

    def process_undoably(records: RecordColumns, undo: UndoLog) -> None:
        nonlocal valid_until, next_pane
        partials.groups.clear()
        partials.started.clear()
        valid_until = next_pane = -1
        process_all(records)
        next_pane = -1
        rows = ((key, first, found) for (_, first), group in partials.groups.items() for key, found in group.items())
        undo.changes += ((node.store, StoreChange((key, first), (found[0], found[1]))) for key, first, found in rows)
        undo.append(kept.add(partials))

    write = _merging(panes, context.store(node.store), context.updates_forward(node.name, forward))

    def commit() -> None:
        taken = kept.take()
        if taken:
            context.as_one_or_each(node.name, partial_call(write, taken), _by_key(taken, write))

    context.on_commit(commit)
    if context.undo is None:
        context.process_many(node.name, process_all)
        return process
    undo = context.undo
    context.process_many(node.name, lambda records: process_undoably(records, undo))
    return lambda *record: process_undoably(RecordColumns(*((field,) for field in record)), undo)


def _by_key(taken: Sequence[_Taken], write: Callable[[Sequence[_Taken]], None]) -> Iterator[tuple[Any, Callable[[], None]]]:
    """Yield keys, and what writes their partial aggregates alone."""
    by_key: dict[Any, list[_Taken]] = {}
    for found in taken:
        by_key.setdefault(found[0], []).append(found)
    return ((key, partial_call(write, own)) for key, own in by_key.items())


def _late_drops(node: str, windows: TimeWindows, drop: Drop) -> Callable[..., None]:
    """Return a function that drops a record if any of its windows is closed, given the oldest open window."""

    def drop_late(oldest_open: int, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        closed = sum(window.start < oldest_open for window in windows.windows_for(timestamp))
        if closed:
            drop(node, DropReason.LATE, key, value, timestamp, headers, closed)

    return drop_late


def _oldest_open(closed: int, size: int, advance: int) -> int:
    """Return the start of the oldest window that ends after `closed`; windows start at multiples of `advance`, 0 included."""
    return max(0, (closed - size) // advance * advance + advance)


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
            for start in range(max(first, 0), pane + 1, advance):
                group = merged.get(start)
                if group is None:
                    group = merged[start] = {}
                before = group.get(key)
                group[key] = partial if before is None else _merged(merge, before, partial)
        return merged

    def updates_of(start: int, found: dict[Any, _Partial]) -> UpdateColumns:
        keys = list(found)
        new, timestamps, headers = zip(*found.values(), strict=True)
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
    return [merge(one[0], other[0]), max(one[1], other[1]), other[2]]
