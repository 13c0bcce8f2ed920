"""Aggregates the records of each key, with or without time windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.cached_aggregate import cached_aggregate, can_be_cached, has_own_store
from eddyline.application.operators.context import DropReason
from eddyline.application.operators.emit_on_close import final_results
from eddyline.application.operators.pane_aggregate import pane_aggregate, panes_of
from eddyline.application.operators.tables import put_and_emission
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.operators.window_columns import aggregate_windows_in_columns
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.topology.windows import windowed_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import Drop, OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import AggregateNode, WindowAggregateNode
    from eddyline.application.topology.records import Headers


def aggregate_in_columns(node: AggregateNode, context: OperatorContext, process: StreamForward, forward: TableForward) -> None:
    """Let many records of a node be aggregated at once, as `process` does for one, if what follows takes many updates at once.

    That is not done if something else reads the store.
    """
    forward_all = context.columns_forward(node.name, forward) if has_own_store(node, context) else None
    if forward_all is None:
        return
    store = context.store(node.store)
    get, put, put_all = store.get, store.put, store.put_all
    initializer, adder, with_key, undo = node.fold.initial, node.fold.add, node.fold.with_key, context.undo

    def process_all(records: RecordColumns) -> None:
        rows: dict[Any, tuple[Any, int] | None] = {}
        begin = 0 if undo is None else len(undo.changes)
        columns: tuple[list[Any], ...] = [], [], [], [], [], []
        keys, news, olds, timestamps, all_headers, origins = (column.append for column in columns)
        for (key, value, timestamp, headers), origin in zip(records.rows(), records.origins, strict=False):
            if key is None or value is None:
                process(key, value, timestamp, headers)  # which drops it
                continue
            row = rows[key] if key in rows else get(key)
            old, newest = (None, timestamp) if row is None else row
            aggregate = initializer() if row is None else old
            new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
            if timestamp > newest:
                newest = timestamp
            if new is None and key in rows:
                put(key, rows[key])  # so that the deletion is a change
            rows[key] = None if new is None else (new, newest)
            keys(key)
            news(new)
            olds(old)
            timestamps(newest)
            all_headers(headers)
            origins(origin)
        put_all(rows)
        if undo is not None:
            found = zip(columns[0], columns[1], columns[3], strict=True)
            changes = ((node.store, StoreChange(key, None if new is None else (new, time))) for key, new, time in found)
            undo.changes[begin:] = changes  # each of them is checked, not only what was put last
        if columns[0]:
            forward_all(UpdateColumns(*columns))

    context.process_many(node.name, process_all)


def aggregate(node: AggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Add each record to the aggregate of its key, which has the greatest timestamp of its records."""
    if can_be_cached(node, context):
        return cached_aggregate(node, context, forward)
    get, drop = context.store(node.store).get, context.drop
    put, emit = put_and_emission(node.name, node.store, context, forward)
    initializer, adder = node.fold.initial, node.fold.add
    with_key = node.fold.with_key

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None or value is None:
            drop(node.name, DropReason.NULL_KEY if key is None else DropReason.NULL_VALUE, key, value, timestamp, headers)
            return
        row = get(key)
        if row is None:
            old = None
            aggregate = initializer()
        else:
            aggregate = old = row[0]
            if row[1] > timestamp:
                timestamp = row[1]
        new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
        put(key, None if new is None else (new, timestamp))
        emit(key, new, old, timestamp, headers)

    aggregate_in_columns(node, context, process, forward)
    return process


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
    aggregate_windows_in_columns(node, context, forward, drop)
    return process


def _drop_each(drop: Drop, records_in: Callable[[Any], int]) -> Drop:
    """Return a function that drops each of the records that a partial aggregate stands for."""

    def drop_each(
        node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers, late_windows: int = 0, /
    ) -> None:
        for _ in range(records_in(value)):
            drop(node, reason, key, value, timestamp, headers, late_windows)

    return drop_each
