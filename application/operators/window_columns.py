"""Aggregates many records by key and window at once, if each update is emitted and goes straight to a topic."""

from __future__ import annotations

from bisect import bisect_right
from itertools import repeat
from typing import TYPE_CHECKING, Any

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.context import DropReason
from eddyline.application.topology.windows import windowed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eddyline.application.operators.context import ColumnsForward, OperatorContext, ProcessMany, TableForward
    from eddyline.application.ports.state_store import WindowStore
    from eddyline.application.topology.nodes import WindowAggregateNode
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.windows import Window


class LaterError(Exception):
    """An operator downstream has raised an exception, because of the record with this number."""

    def __init__(self, error: Exception, number: int) -> None:
        super().__init__(error, number)
        self.error, self.number = error, number


class _Run:
    """The aggregates of a key in the windows of consecutive records, which are put when other windows follow.

    `times` has the greatest timestamp of each window, `newest` the greatest of all, and `first_end` is the end of the window that
    closes first. An aggregate is None in a window without any.
    """

    __slots__ = ("aggregates", "first_end", "newest", "starts", "times", "windowed", "windows")

    def __init__(self, key: Any, windows: Sequence[Window], opened: Sequence[Window], store: WindowStore[Any, Any]) -> None:
        self.windows = windows
        self.starts = [window.start for window in opened]
        self.windowed = [windowed_of((key, window)) for window in opened]
        self.first_end = min(window.end for window in opened)
        rows = [store.fetch(key, start) for start in self.starts]
        self.aggregates = [None if row is None else row[0] for row in rows]
        self.times = [-1 if row is None else row[1] for row in rows]
        self.newest = max(self.times)

    def put(self, key: Any, store: WindowStore[Any, Any]) -> None:
        """Put the aggregates into the store."""
        for start, aggregate, time in zip(self.starts, self.aggregates, self.times, strict=True):
            store.put(key, None if aggregate is None else (aggregate, time), start)


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
        if newest > store.newest:
            if before is not None:
                before.put(key, store)
            self.put_all()
            store.observe(newest)
        elif before is not None:
            before.put(key, store)
        run = self[key] = _Run(key, windows, opened, store)
        return run

    def put_all(self) -> None:
        """Put all aggregates into the store."""
        for key, run in self.items():
            run.put(key, self._store)
        self.clear()


def aggregation_in_columns(
    node: WindowAggregateNode, context: OperatorContext, forward: TableForward, columns_forward: ColumnsForward
) -> ProcessMany:
    """Return a function that does for many records what `window_aggregate` does for one.

    Consecutive records of a key belong to the same windows mostly. Their aggregates are read once and put once, and what is
    emitted is collected by column. If an operator downstream raises an exception, the updates are forwarded one by one.
    """
    store, drop, name = context.store(node.store), context.drop, node.name
    windows_for, grace = node.windows.windows_for, node.windows.grace_ms
    initializer, adder = node.initializer, _with_key(node.adder, with_key=node.with_key)
    stream_time = context.cell(name)

    def opened(windows: Sequence[Window], key: Any, value: Any, timestamp: int, headers: Headers) -> Sequence[Window]:
        """Return the open windows, and drop the record once for each of the others."""
        closed = stream_time.value - grace
        if not windows:
            drop(name, DropReason.NO_WINDOW, key, value, timestamp, headers)
        found = [window for window in windows if window.end > closed]
        for _ in range(len(windows) - len(found)):
            drop(name, DropReason.LATE, key, value, timestamp, headers)
        return found

    def process_all(records: Iterable[tuple[Any, Any, int, Headers]]) -> None:
        runs = _Runs(store)
        keys: list[Any] = []
        values: list[Any] = []
        timestamps: list[int] = []
        all_headers: list[Headers] = []
        ends: list[int] = []
        for key, value, timestamp, headers in records:
            if key is None:
                drop(name, DropReason.NULL_KEY, key, value, timestamp, headers)
                ends.append(len(values))
                continue
            if timestamp > stream_time.value:
                stream_time.value = timestamp
            windows = windows_for(timestamp)
            run = runs.get(key)
            if (
                run is None
                or (run.windows is not windows and run.windows != windows)
                or run.first_end <= stream_time.value - grace
                or len(run.starts) < len(windows)
            ):
                found = opened(windows, key, value, timestamp, headers)
                if not found:
                    ends.append(len(values))
                    continue
                run = runs.begin(key, windows, found)
            before = run.aggregates
            new = run.aggregates = [
                adder(key, initializer() if aggregate is None else aggregate, value) for aggregate in before
            ]
            if timestamp >= run.newest:
                run.newest = timestamp
                run.times = [timestamp] * len(new)
            else:
                run.times = [
                    timestamp if aggregate is None or time < timestamp else time
                    for aggregate, time in zip(before, run.times, strict=True)
                ]
                run.newest = max(run.times)
            keys += run.windowed
            values += new
            timestamps += run.times
            all_headers += repeat(headers, len(new))
            ends.append(len(values))
        runs.put_all()
        if values:
            _forward(RecordColumns(keys, values, timestamps, all_headers), ends, forward, columns_forward)

    return process_all


def _forward(updates: RecordColumns, ends: Sequence[int], forward: TableForward, columns_forward: ColumnsForward) -> None:
    """Forward updates together, or one by one if that fails, to find out which of them fails."""
    try:
        columns_forward(updates, ends)
    except Exception:  # noqa: BLE001 - whatever it is, it is raised again
        for index, (key, value, timestamp, headers) in enumerate(zip(*updates, strict=True)):
            try:
                forward(key, value, None, timestamp, headers)
            except Exception as error:
                raise LaterError(error, bisect_right(ends, index)) from error


def _with_key(adder: Callable[..., Any], *, with_key: bool) -> Callable[[Any, Any, Any], Any]:
    """Return an adder that takes the key first."""
    return adder if with_key else lambda _key, aggregate, value: adder(aggregate, value)
