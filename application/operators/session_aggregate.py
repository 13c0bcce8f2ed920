"""Folding the records of a key in sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.closing import closing_results
from eddyline.application.operators.context import Drop
from eddyline.application.topology.windows import Window, Windowed

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.window_nodes import SessionAggregateNode


def session_aggregate(node: SessionAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Folds each record into the session that it makes, together with the sessions within its gap.

    The session ends at its last record, and that is its time. A record whose session would end more than gap and grace before
    stream time is dropped. Sessions that are merged are deleted, with a tombstone each, by their ends, and then the new one
    is forwarded; a session of one moment that meets another record of that moment only changes. Which sessions are found is
    up to the store: by the default retention one that ended exactly gap and grace before the newest end is found no more,
    though a record of that time is still taken, and makes a session of its own. Where results leave on close, a session that
    the store refuses has none to let out, and its record is dropped.
    """
    store = context.store(node.store)
    put, find, drop = store.put, store.find_sessions, context.drop
    gap, closes_after = node.windows.gap_ms, node.windows.closes_after_ms
    initializer, adder, with_key, merge = node.initializer, node.adder, node.with_key, node.merge
    results = closing_results(node, context, forward)
    emit = context.emission(node.name, forward) if results is None else results.note
    time = context.cell(node.name)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, Drop.NULL_KEY, key, value, timestamp, headers)
            return
        time.value = max(time.value, timestamp)
        near = find(key, timestamp - gap, timestamp + gap)
        first = min(timestamp, *(start for start, _, _ in near)) if near else timestamp
        last = max(timestamp, *(end for _, end, _ in near)) if near else timestamp
        if last < time.value - closes_after:
            drop(node.name, Drop.LATE, key, value, timestamp, headers)
            return
        so_far = initializer()
        for _, _, merged in near:
            so_far = merge(so_far, merged)
        old = near[0][2] if near else None
        if near and (first, last) != (timestamp, timestamp):
            old = None
            for start, end, merged in near:
                put(key, start, end, None)
                emit(Windowed(key, Window(start, end)), None, merged, end, headers)
        new = adder(key, so_far, value) if with_key else adder(so_far, value)
        if not put(key, first, last, new) and results is not None:
            drop(node.name, Drop.EXPIRED, key, value, timestamp, headers)
        emit(Windowed(key, Window(first, last)), new, old, last, headers)

    return process if results is None else results.around(process, null_values=True)
