"""Folds the records of each key and session, and collects those that are sent to other tasks."""

from __future__ import annotations

from functools import reduce
from math import inf
from typing import TYPE_CHECKING, Any, Final

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.emit_on_close import final_results
from eddyline.application.operators.fold_by_key import collecting
from eddyline.application.topology.windows import Window, windowed_of

if TYPE_CHECKING:
    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import SessionAggregateNode, SessionCombineNode
    from eddyline.application.topology.records import Headers


def session_aggregate(node: SessionAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Merge each record with the sessions within its gap into one session.

    The session ends at its last record, which also gives its timestamp. A record whose session would end more than gap plus
    grace before stream time is dropped. The merged sessions are deleted, with a tombstone each, in the order of their ends;
    then the new session is forwarded. No tombstone precedes a session of a single timestamp that is only updated.

    If only the latest updates are forwarded, a session that was started and merged since the last commit has no tombstone, as in
    Kafka Streams (`CachingSessionStore`).

    Only sessions that are still in the store are merged. By default a session expires exactly gap plus grace before the newest
    session end, but a record of that time is still accepted, and starts a session of its own, which is not kept: its update
    is emitted also if another one follows. With emission on close, the session is still there.
    """
    store = context.store(node.store)
    put, find, drop = store.put, store.find_sessions, context.drop
    gap, closes_after_ms = node.windows.gap_ms, node.windows.closes_after_ms
    initializer, add = node.fold.initial, node.fold.keyed_add()
    merge: Any = node.fold.merge
    results = final_results(node, context, forward)
    emit = context.emission(node.name, forward) if results is None else results.update
    emit_expired = context.separate_emission(node.name, forward) if results is None else results.update
    stream_time = context.cell(node.name)

    def expire() -> None:
        """Expire the sessions that a record of this time would expire, so that no later record is merged with them."""
        store.observe(stream_time.value)

    context.keep_time(node.name, stream_time, expire if results is None else results.emit)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)
            return
        if timestamp > stream_time.value:
            stream_time.value = timestamp
        sessions = find(key, timestamp - gap, timestamp + gap)
        first = last = timestamp
        for start, end, _ in sessions:
            first, last = start if start < first else first, end if end > last else last
        if last < stream_time.value - closes_after_ms:
            drop(node.name, DropReason.LATE, key, value, timestamp, headers, 1)
            return
        aggregate = initializer()
        for _, _, merged in sessions:
            aggregate = merge(aggregate, merged)
        old = sessions[0][2] if sessions else None
        if sessions and (first, last) != (timestamp, timestamp):
            old = None
            for start, end, merged in sessions:
                put(key, start, end, None)
                emit(windowed_of((key, Window(start, end))), None, merged, end, headers)
        new = add(key, aggregate, value)
        kept = put(key, first, last, new)
        (emit if kept else emit_expired)(windowed_of((key, Window(first, last))), new, old, last, headers)

    return _together(node, context, emit, process) if results is None else results.wrap(process, null_values=True)


def _together(node: SessionAggregateNode, context: OperatorContext, emit: TableForward, process: StreamForward) -> StreamForward:
    """Return the function for records of a session that a `SessionCombineNode` has collected, or else `process`, for each alone.

    If none of them is late, and none of the sessions that they extend may expire, the result is the same when they are added
    together: only the latest updates are forwarded.
    """
    if not node.combined:
        return process
    store = context.store(node.store)
    put, find = store.put, store.find_sessions
    gap, grace, initializer = node.windows.gap_ms, node.windows.grace_ms, node.fold.initial
    merge: Any = node.fold.merge
    stream_time = context.cell(node.name)

    def process_together(key: Any, collected: tuple[list[int], list[Any]], timestamp: int, headers: Headers) -> None:
        earlier, aggregates = collected
        newest = max(stream_time.value, timestamp)
        first, last = timestamp - max(earlier), timestamp
        if first <= newest - grace:
            for before, aggregate in zip(earlier, aggregates or [1] * len(earlier), strict=True):
                process(key, aggregate, timestamp - before, headers)
            return
        stream_time.value = newest
        sessions = find(key, first - gap, last + gap)
        for start, end, _ in sessions:
            first, last = min(first, start), max(last, end)
        new, old = initializer(), None
        for start, end, merged in sessions:
            new = merge(new, merged)
            if (start, end) == (first, last):
                old = merged
            else:
                put(key, start, end, None)
                emit(windowed_of((key, Window(start, end))), None, merged, end, headers)
        new = reduce(merge, aggregates, new) if aggregates else new + len(earlier)
        put(key, first, last, new)
        emit(windowed_of((key, Window(first, last))), new, old, last, headers)

    return process_together


MOST_COLLECTED: Final = 256


class _Part:
    """Records of a key, in their order: each is within the gap of the span of those before it."""

    __slots__ = ("aggregates", "first", "headers", "key", "last", "timestamps")

    def __init__(self, key: Any, timestamp: int, headers: Headers) -> None:
        self.key, self.headers = key, headers
        self.first = self.last = timestamp
        self.timestamps = [timestamp]
        self.aggregates: list[Any] = []


def combine_sessions(  # noqa: C901 - the loop over records calls nothing that it can do itself
    node: SessionCombineNode, context: OperatorContext, forward: StreamForward
) -> StreamForward:
    """Collect the records of each key and session; forward them together at the commit.

    Whether a record is late, and which session it extends, depends on the stream time of the task that aggregates it, and on its
    own time. So the records are not added up here: what is forwarded has the time and the aggregate of each. The task that
    aggregates them adds them up if none of them can be late, and otherwise one after the other, because:

    - before a record with which another one may be late, or a session that it extends may expire, all are forwarded;
    - a record that may be late already is forwarded alone, after all others.

    Records of other tasks in the same batch do not advance its stream time further, since the task that aggregates always takes
    the record with the lowest timestamp of those that are next. If it is ahead of this task since an earlier batch, it decides
    about the late records of this task in their order.

    What is forwarded has the greatest timestamp of its records, and their headers, which are the same. It has no aggregates
    if they are counts, of which each is 1. Records with a null key are discarded, as they are before every repartition.
    """
    gap, grace = node.windows.gap_ms, node.windows.grace_ms
    single, counts = node.fold.single(), node.fold.counts
    parts: dict[Any, _Part] = {}
    started: list[_Part] = []
    newest, late_from = -1, inf

    def clear() -> None:
        nonlocal late_from
        started.clear()
        parts.clear()
        late_from = inf

    def flush() -> None:
        taken = started[:]
        clear()
        for part in taken:
            last = part.last
            forward(part.key, ([last - timestamp for timestamp in part.timestamps], part.aggregates), last, part.headers)

    def process_all(records: RecordColumns) -> None:
        nonlocal newest, late_from
        for key, value, timestamp, headers in records.rows():
            if key is None:
                continue
            if timestamp > newest:
                newest = timestamp
            if timestamp >= late_from:
                flush()
            elif timestamp + grace <= newest:
                flush()
                forward(key, ([0], [] if counts else [single(key, value)]), timestamp, headers)
                continue
            part = parts.get(key)
            if (
                part is None
                or not part.first - gap <= timestamp <= part.last + gap
                or (headers is not part.headers and headers != part.headers)
                or len(part.timestamps) >= MOST_COLLECTED
            ):
                part = parts[key] = _Part(key, timestamp, headers)
                started.append(part)
                late_from = min(late_from, timestamp + grace)
            else:
                part.timestamps.append(timestamp)
                if timestamp > part.last:
                    part.last = timestamp
                elif timestamp < part.first:
                    part.first = timestamp
                    late_from = min(late_from, timestamp + grace)
            if not counts:
                part.aggregates.append(single(key, value))

    return collecting(node, context, process_all, flush, clear)
