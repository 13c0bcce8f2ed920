"""Folding the records of a key in sliding windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eddyline.application.operators.closing import closing_results
from eddyline.application.operators.context import Drop
from eddyline.application.topology.windows import Windowed

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.window_nodes import SlidingAggregateNode

_Row: TypeAlias = tuple[Any, int]
"""The result of a window and the greatest time of its records."""


def sliding_aggregate(node: SlidingAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Folds each record into the windows that hold it, and opens those that it makes.

    A record makes a window that ends at it, its left one, and, when later records lie within the difference, one that begins a
    millisecond after it, its right one; and it may make the right one of the record before it. A window that is new begins
    with the records that an existing one tells of. Windows are updated while `end >= stream time - grace`. A record whose
    right window is closed is dropped; one that only some windows take is counted as dropped once for each other window.
    """
    fold = _SlidingFold(node, context, forward)
    return fold.process if fold.results is None else fold.results.around(fold.process, null_values=False)


class _Arrival(NamedTuple):
    """The record that is being folded."""

    key: Any
    value: Any
    timestamp: int
    headers: Headers


class _SlidingFold:
    """The fold of one task."""

    def __init__(self, node: SlidingAggregateNode, context: OperatorContext, forward: TableForward) -> None:
        self._node = node
        self._windows = node.windows
        self._difference = node.windows.difference_ms
        self._store = context.store(node.store)
        self._drop = context.drop
        self._time = context.cell(node.name)
        self.results = closing_results(node, context, forward)
        self._emit = context.emission(node.name, forward) if self.results is None else self.results.note

    def process(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Takes one record."""
        if key is None or value is None:
            self._drop(self._node.name, Drop.NULL_KEY if key is None else Drop.NULL_VALUE, key, value, timestamp, headers)
            return
        self._time.value = max(self._time.value, timestamp)
        if timestamp + 1 + self._difference <= self._time.value - self._node.windows.grace_ms:
            self._drop(self._node.name, Drop.LATE, key, value, timestamp, headers)
        elif timestamp < self._difference:
            self._fold_early(_Arrival(key, value, timestamp, headers))
        else:
            self._fold(_Arrival(key, value, timestamp, headers))

    def _fold(self, record: _Arrival) -> None:
        timestamp, difference = record.timestamp, self._difference
        nearest_later: _Row | None = None
        nearest_earlier: _Row | None = None
        previous: int | None = None
        has_left = False
        rows = self._store.fetch_range(record.key, max(0, timestamp - 2 * difference), timestamp + 1)
        starts = {start for start, _ in rows}
        for start, row in reversed(rows):
            if start + difference < timestamp:
                nearest_earlier, previous = row, row[1]
                break
            if start > timestamp:
                continue
            self._update(start, row, record)
            if start + difference > timestamp:
                nearest_later = nearest_later or row
                continue
            has_left = True
            if row[1] >= timestamp:
                return
            previous = row[1]
        if previous is not None and previous + 1 not in starts and previous + 1 + difference >= timestamp:
            self._open(previous + 1, None, record)
        if not has_left:
            reaches_back = previous is not None and previous >= timestamp - difference
            self._open(timestamp - difference, nearest_earlier if reaches_back else None, record)
        if timestamp + 1 not in starts:
            self._open_right(nearest_later, record)

    def _fold_early(self, record: _Arrival) -> None:
        """A record earlier than the difference after 0: its left window would begin before 0, the window from 0 stands for it."""
        timestamp = record.timestamp
        rows = self._store.fetch_range(record.key, 0, timestamp + 1)
        starts = {start for start, _ in rows}
        first: _Row | None = rows[0][1] if 0 in starts else None
        nearest_later = first
        for start, row in rows:
            if 0 < start <= timestamp:
                nearest_later = row
                self._update(start, row, record)
        if first is not None and first[1] < timestamp and first[1] + 1 not in starts:
            self._open(first[1] + 1, None, record)
        if timestamp + 1 not in starts:
            self._open_right(nearest_later, record)
        if first is None:
            self._open(0, None, record)
        else:
            self._update(0, first, record)

    def _update(self, start: int, row: _Row, record: _Arrival) -> None:
        """Adds the record to a window that there is."""
        self._add(start, row, row[0], record)

    def _open(self, start: int, base: _Row | None, record: _Arrival) -> None:
        """Opens a window with the records of `base`, if any, and this one.

        The right window of the record before it and its own left one may be the same; it is then told twice.
        """
        there = self._store.fetch(record.key, start)
        self._add(start, there, self._node.initializer() if base is None else base[0], record)

    def _open_right(self, later: _Row | None, record: _Arrival) -> None:
        """Opens the window after the record, with the records of a window that held later ones, if any did."""
        start = record.timestamp + 1
        if later is not None and later[1] >= start:
            self._store.put(record.key, later, start)
            self._emit(Windowed(record.key, self._windows.window_at(start)), later[0], None, later[1], record.headers)

    def _add(self, start: int, row: _Row | None, so_far: Any, record: _Arrival) -> None:
        """Adds the record to `so_far` and keeps it as the window's result; `row` is the result there was, if any."""
        node, (key, value, timestamp, headers) = self._node, record
        window = self._windows.window_at(start)
        if window.end < self._time.value - self._windows.grace_ms:
            self._drop(node.name, Drop.LATE, key, value, timestamp, headers)
            return
        new = node.adder(key, so_far, value) if node.with_key else node.adder(so_far, value)
        old, newest = (None, timestamp) if row is None else (row[0], max(row[1], timestamp))
        self._store.put(key, None if new is None else (new, newest), start)
        self._emit(Windowed(key, window), new, old, newest, headers)
