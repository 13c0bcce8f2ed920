"""Folding the records of a key, as a whole and in windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.closing import closing_results
from eddyline.application.operators.context import Drop
from eddyline.application.operators.pane_aggregate import pane_aggregate, panes_of
from eddyline.application.topology.windows import windowed_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import AggregateNode, TableSourceNode, WindowAggregateNode
    from eddyline.application.topology.records import Headers


def keyed_adder(node: AggregateNode) -> Callable[[Any, Any, Any], Any]:
    """The adder of a step as (key, aggregate, value), whichever form it has."""
    adder = node.adder
    return adder if node.with_key else lambda _key, aggregate, value: adder(aggregate, value)


def table_source(node: TableSourceNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Keeps the latest value of each key and forwards every update; records without a key are dropped."""
    store = context.store(node.store)
    get, put, drop = store.get, store.put, context.drop
    emit = context.emission(node.name, forward)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, Drop.NULL_KEY, key, value, timestamp, headers)
            return
        row = get(key)
        put(key, None if value is None else (value, timestamp))
        emit(key, value, None if row is None else row[0], timestamp, headers)

    return process


def aggregate(node: AggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Folds each record into the row of its key; the row keeps the greatest timestamp of its records."""
    store = context.store(node.store)
    get, put, drop = store.get, store.put, context.drop
    initializer, adder = node.initializer, node.adder
    with_key = node.with_key
    emit = context.emission(node.name, forward)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None or value is None:
            drop(node.name, Drop.NULL_KEY if key is None else Drop.NULL_VALUE, key, value, timestamp, headers)
            return
        row = get(key)
        if row is None:
            old = None
            so_far = initializer()
        else:
            so_far = old = row[0]
            if row[1] > timestamp:
                timestamp = row[1]
        new = adder(key, so_far, value) if with_key else adder(so_far, value)
        put(key, None if new is None else (new, timestamp))
        emit(key, new, old, timestamp, headers)

    return process


def window_aggregate(node: WindowAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Folds each record into every window it belongs to that is still open, oldest first.

    A window is open while `end > stream time - grace`; stream time is the greatest timestamp of the records with a key that
    came here. A record that comes after a window's close is dropped for that window, and counted once for each; so is one
    that belongs to no window.
    """
    panes = panes_of(node, context)
    if panes is not None:
        return pane_aggregate(node, context, forward, panes)
    results = closing_results(node, context, forward, newest=lambda timestamp: node.windows.windows_for(timestamp)[-1].start)
    store = context.store(node.store)
    fetch, put, drop = store.fetch, store.put, context.drop
    windows_for, grace = node.windows.windows_for, node.windows.grace_ms
    initializer, adder, with_key = node.initializer, node.adder, node.with_key
    emit = context.emission(node.name, forward) if results is None else results.note
    time = context.cell(node.name)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, Drop.NULL_KEY, key, value, timestamp, headers)
            return
        if timestamp > time.value:
            time.value = timestamp
        closed = time.value - grace
        windows = windows_for(timestamp)
        if not windows:
            drop(node.name, Drop.NO_WINDOW, key, value, timestamp, headers)
        for window in windows:
            start, end = window
            if end <= closed:
                drop(node.name, Drop.LATE, key, value, timestamp, headers)
                continue
            row = fetch(key, start)
            if row is None:
                old = None
                so_far = initializer()
                newest = timestamp
            else:
                so_far = old = row[0]
                newest = row[1] if row[1] > timestamp else timestamp
            new = adder(key, so_far, value) if with_key else adder(so_far, value)
            put(key, None if new is None else (new, newest), start)
            emit(windowed_of((key, window)), new, old, newest, headers)

    return process if results is None else results.around(process, null_values=True)
