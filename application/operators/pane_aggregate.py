"""Pane aggregation: records of hopping windows are aggregated once per pane, and panes are merged into windows at commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eddyline.application.operators.context import DropReason
from eddyline.application.topology.windows import TimeWindows, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.ports.state_store import WindowStore
    from eddyline.application.topology.nodes import WindowAggregateNode
    from eddyline.application.topology.records import Headers

_Partial: TypeAlias = "tuple[Any, int, Headers]"
"""A partial aggregate, the greatest timestamp of its records in ms since the epoch, and the headers of the last one."""


class Panes(NamedTuple):
    """Windows that consist of whole panes, and the function that merges two partial aggregates."""

    windows: TimeWindows
    merge: Callable[[Any, Any], Any]


def panes_of(node: WindowAggregateNode, context: OperatorContext) -> Panes | None:
    """Return the panes of an aggregation, None if it must not be done in panes.

    Pane aggregation gives the same table if the aggregates can be merged, the windows consist of whole panes, only the latest
    update per commit is emitted, and nothing else reads the store before the commit, not even to emit closed windows. Records
    that fail are not undone in panes.
    """
    windows, merge = node.windows, node.merge
    if merge is None or node.emit_on_close is not None or context.undo is not None:
        return None
    if not isinstance(windows, TimeWindows) or windows.size_ms % windows.advance_ms:
        return None
    if not context.is_cached(node.name) or context.is_shared(node.store):
        return None
    return Panes(windows, merge)


def pane_aggregate(node: WindowAggregateNode, context: OperatorContext, forward: TableForward, panes: Panes) -> StreamForward:
    """Add each record to the partial aggregate of its key, its pane (one advance long) and the oldest open window.

    As without panes, a record counts for a window if `end > stream time - grace` when the record is processed. The oldest open
    window determines which windows these are, so records that arrive later start another partial aggregate. At the commit,
    partial aggregates are merged in the order in which they were started, so that an aggregation that keeps its first record
    keeps the same one. Windows are stored oldest first, so that none expires before it is stored.
    """
    windows = panes.windows
    size, advance, grace = windows.size_ms, windows.advance_ms, windows.grace_ms
    first_of_pane = size - advance
    initializer, adder, with_key = node.initializer, node.adder, node.with_key
    drop, stream_time = context.drop, context.cell(node.name)
    context.keep_time(node.name, stream_time)
    partials: dict[tuple[Any, int, int], _Partial] = {}
    oldest_open = _oldest_open(stream_time.value - grace, size, advance)
    valid_until = -1

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        nonlocal oldest_open, valid_until
        if key is None:
            drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)
            return
        if timestamp > stream_time.value:
            stream_time.value = timestamp
        if stream_time.value > valid_until:
            oldest_open = _oldest_open(stream_time.value - grace, size, advance)
            valid_until = oldest_open + size + grace - 1
        pane = timestamp - timestamp % advance
        first = pane - first_of_pane
        if first < oldest_open:
            for _ in range(sum(window.start < oldest_open for window in windows.windows_for(timestamp))):
                drop(node.name, DropReason.LATE, key, value, timestamp, headers)
            if pane < oldest_open:
                return
            first = oldest_open
        partial_key = (key, pane, first)
        aggregate, newest, _ = partials.get(partial_key) or (initializer(), timestamp, headers)
        if timestamp > newest:
            newest = timestamp
        new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
        partials[partial_key] = (new, newest, headers)

    context.on_commit(_merge_at_commit(panes, context.store(node.store), partials, forward))
    return process


def _oldest_open(closed: int, size: int, advance: int) -> int:
    """Return the start of the oldest window that ends after `closed`; windows start at multiples of `advance`, 0 included."""
    return max(0, (closed - size) // advance * advance + advance)


def _merge_at_commit(
    panes: Panes, store: WindowStore[Any, Any], partials: dict[tuple[Any, int, int], _Partial], forward: TableForward
) -> Callable[[], None]:
    windows, merge = panes
    advance = windows.advance_ms

    def commit() -> None:
        merged: dict[tuple[int, Any], _Partial] = {}
        for (key, pane, first), partial in partials.items():
            for start in range(max(first, 0), pane + 1, advance):
                before = merged.get((start, key))
                merged[start, key] = partial if before is None else _merged(merge, before, partial)
        partials.clear()
        for (start, key), partial in sorted(merged.items(), key=_start_of):
            row = store.fetch(key, start)
            old = None
            new, newest, headers = partial
            if row is not None:
                old = row[0]
                new, newest = merge(old, new), max(row[1], newest)
            store.put(key, None if new is None else (new, newest), start)
            forward(Windowed(key, windows.window_at(start)), new, old, newest, headers)

    return commit


def _merged(merge: Callable[[Any, Any], Any], one: _Partial, other: _Partial) -> _Partial:
    return merge(one[0], other[0]), max(one[1], other[1]), other[2]


def _start_of(item: tuple[tuple[int, Any], Any]) -> int:
    return item[0][0]
