"""Folding in panes: a hopping window's records are folded once, and merged into windows when the task commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from eddyline.application.operators.context import Drop
from eddyline.application.topology.windows import TimeWindows, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.ports.state_store import WindowStore
    from eddyline.application.topology.nodes import WindowAggregateNode
    from eddyline.application.topology.records import Headers


class Panes(NamedTuple):
    """How a step folds in panes: its windows, made of whole panes, and how two partial results become one."""

    windows: TimeWindows
    merge: Callable[[Any, Any], Any]


def panes_of(node: WindowAggregateNode, context: OperatorContext) -> Panes | None:
    """How the step can fold in panes and give the same table, None where it cannot.

    The aggregate must be mergeable, the windows made of whole panes, the latest update of a commit enough, and nobody else may
    look into the store before it, not even for windows to close.
    """
    windows, merge = node.windows, node.merge
    if merge is None or node.closing is not None or not node.caching or not isinstance(windows, TimeWindows):
        return None
    if windows.size_ms % windows.advance_ms or not context.emits_latest or context.is_shared(node.store):
        return None
    return Panes(windows, merge)


def pane_aggregate(node: WindowAggregateNode, context: OperatorContext, forward: TableForward, panes: Panes) -> StreamForward:
    """Folds each record into its pane, one advance long, apart from those that came when other windows were open.

    A record counts in a window while `end > stream time - grace` at the moment it comes, as without panes; which windows
    those are is told by the oldest of them, so a partial result belongs to (key, pane, oldest open window). At the commit the
    partial results are merged into windows in the order in which they began, so that a fold that keeps its first record
    keeps the same one, and windows are written oldest first, so that none expires before it is written.
    """
    windows = panes.windows
    size, advance, grace = windows.size_ms, windows.advance_ms, windows.grace_ms
    first_of_pane = size - advance
    initializer, adder, with_key = node.initializer, node.adder, node.with_key
    drop, time = context.drop, context.cell(node.name)
    partials: dict[tuple[Any, int, int], tuple[Any, int, Headers]] = {}
    oldest_open = _oldest_open(time.value - grace, size, advance)
    moved_at = -1

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        nonlocal oldest_open, moved_at
        if key is None:
            drop(node.name, Drop.NULL_KEY, key, value, timestamp, headers)
            return
        if timestamp > time.value:
            time.value = timestamp
        if time.value > moved_at:
            oldest_open = _oldest_open(time.value - grace, size, advance)
            moved_at = oldest_open + size + grace - 1
        pane = timestamp - timestamp % advance
        first = pane - first_of_pane
        if first < oldest_open:
            for _ in range(sum(window.start < oldest_open for window in windows.windows_for(timestamp))):
                drop(node.name, Drop.LATE, key, value, timestamp, headers)
            if pane < oldest_open:
                return
            first = oldest_open
        place = (key, pane, first)
        so_far, newest, _ = partials.get(place) or (initializer(), timestamp, headers)
        if timestamp > newest:
            newest = timestamp
        new = adder(key, so_far, value) if with_key else adder(so_far, value)
        partials[place] = (new, newest, headers)

    context.on_commit(_merger(panes, context.store(node.store), partials, forward))
    return process


def _oldest_open(closed: int, size: int, advance: int) -> int:
    """The start of the oldest window that ends after `closed`; windows begin at multiples of `advance` from 0 on."""
    return max(0, (closed - size) // advance * advance + advance)


def _merger(
    panes: Panes,
    store: WindowStore[Any, Any],
    partials: dict[tuple[Any, int, int], tuple[Any, int, Headers]],
    forward: TableForward,
) -> Callable[[], None]:
    windows, merge = panes
    advance = windows.advance_ms

    def write() -> None:
        merged: dict[tuple[int, Any], tuple[Any, int, Headers]] = {}
        for (key, pane, first), partial in partials.items():
            for start in range(max(first, 0), pane + 1, advance):
                before = merged.get((start, key))
                merged[start, key] = partial if before is None else _both(merge, before, partial)
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

    return write


def _both(
    merge: Callable[[Any, Any], Any], one: tuple[Any, int, Headers], other: tuple[Any, int, Headers]
) -> tuple[Any, int, Headers]:
    return merge(one[0], other[0]), max(one[1], other[1]), other[2]


def _start_of(item: tuple[tuple[int, Any], Any]) -> int:
    return item[0][0]
