"""Aggregates the records of each key and sliding window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.emit_on_close import final_results
from eddyline.application.topology.immutable import own_copy
from eddyline.application.topology.windows import Windowed

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import SlidingAggregateNode
    from eddyline.application.topology.records import Headers

_Row: TypeAlias = tuple[Any, int]
"""The aggregate of a window and the greatest timestamp of its records in ms since the epoch."""


def sliding_aggregate(node: SlidingAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Add each record to the windows that contain it, and create the windows that it defines.

    A record defines the window that ends at it, its left window, and, if there are later records within the time difference,
    the window that starts one millisecond after it, its right window. It may also create the right window of the previous
    record. A new window starts with the aggregate of an existing window with the same earlier records. Windows are updated
    while `end >= stream time - grace`. A record whose right window is closed is dropped; a record that only some of its
    windows accept is counted as dropped once for each of the others.
    """
    aggregate = _SlidingAggregate(node, context, forward)
    return aggregate.process if aggregate.results is None else aggregate.results.wrap(aggregate.process, null_values=False)


class _Record(NamedTuple):
    """The record that is being processed."""

    key: Any
    value: Any
    timestamp: int
    headers: Headers


class _SlidingAggregate:
    """The aggregation of one task."""

    def __init__(self, node: SlidingAggregateNode, context: OperatorContext, forward: TableForward) -> None:
        self._node = node
        self._windows = node.windows
        self._difference = node.windows.difference_ms
        self._store = context.store(node.store)
        self._drop = context.drop
        self._stream_time = context.cell(node.name)
        self._closed = 0
        self.results = final_results(node, context, forward)
        self._emit = context.emission(node.name, forward) if self.results is None else self.results.update
        context.keep_time(node.name, self._stream_time, None if self.results is None else self.results.emit)

    def process(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Process one record."""
        if key is None or value is None:
            self._drop(
                self._node.name, DropReason.NULL_KEY if key is None else DropReason.NULL_VALUE, key, value, timestamp, headers
            )
            return
        self._stream_time.value = max(self._stream_time.value, timestamp)
        if timestamp + 1 + self._difference <= self._stream_time.value - self._node.windows.grace_ms:
            self._drop(self._node.name, DropReason.LATE, key, value, timestamp, headers, 1)
            return
        self._closed = 0
        if timestamp < self._difference:
            self._add_early(_Record(key, value, timestamp, headers))
        else:
            self._add(_Record(key, value, timestamp, headers))
        if self._closed:
            self._drop(self._node.name, DropReason.LATE, key, value, timestamp, headers, self._closed)

    def _add(self, record: _Record) -> None:
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
            self._create(previous + 1, None, record)
        if not has_left:
            is_in_left_window = previous is not None and previous >= timestamp - difference
            self._create(timestamp - difference, nearest_earlier if is_in_left_window else None, record)
        if timestamp + 1 not in starts:
            self._create_right(nearest_later, record)

    def _add_early(self, record: _Record) -> None:
        """Add a record whose left window would start before 0: the window that starts at 0 takes its place."""
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
            self._create(first[1] + 1, None, record)
        if timestamp + 1 not in starts:
            self._create_right(nearest_later, record)
        if first is None:
            self._create(0, None, record)
        else:
            self._update(0, first, record)

    def _update(self, start: int, row: _Row, record: _Record) -> None:
        """Add the record to an existing window."""
        self._store_and_emit(start, row, row[0], record)

    def _create(self, start: int, base: _Row | None, record: _Record) -> None:
        """Create a window with the aggregate of `base`, if any, and the record.

        The right window of the previous record may be the left window of this one; then it is emitted twice.
        """
        existing = self._store.fetch(record.key, start)
        self._store_and_emit(start, existing, self._node.fold.initial() if base is None else base[0], record)

    def _create_right(self, later: _Row | None, record: _Record) -> None:
        """Create the right window of the record with the aggregate of a window that contains later records, if there is one."""
        start = record.timestamp + 1
        if later is not None and later[1] >= start:
            self._store.put(record.key, later, start)
            self._emit(Windowed(record.key, self._windows.window_at(start)), own_copy(later[0]), None, later[1], record.headers)

    def _store_and_emit(self, start: int, row: _Row | None, aggregate: Any, record: _Record) -> None:
        """Add the record to an aggregate, then store and emit it for a window; `row` is the window's row, if it has one."""
        node, (key, value, timestamp, headers) = self._node, record
        window = self._windows.window_at(start)
        if window.end < self._stream_time.value - self._windows.grace_ms:
            self._closed += 1
            return
        new = node.fold.add(key, aggregate, value) if node.fold.with_key else node.fold.add(aggregate, value)
        old, newest = (None, timestamp) if row is None else (row[0], max(row[1], timestamp))
        self._store.put(key, None if new is None else (new, newest), start)
        self._emit(Windowed(key, window), new, old, newest, headers)
