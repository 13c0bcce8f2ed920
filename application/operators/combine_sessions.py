"""Collects the records of each key and session, before they are repartitioned."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Final

from eddyline.application.operators.combine import collecting

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import SessionCombineNode
    from eddyline.application.topology.records import Headers

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
    single, counts = _single(node), node.fold.counts
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


def _single(node: SessionCombineNode) -> Callable[[Any, Any], Any]:
    """Return the function that aggregates one record alone."""
    initializer, add = node.fold.initial, node.fold.keyed_add()
    return lambda key, value: add(key, initializer(), value)
