"""Combines the records of each key and pane into partial aggregates, before they are repartitioned."""

from __future__ import annotations

from math import gcd, inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eddyline.application.operators.combine import collecting
from eddyline.application.topology.windows import TimeWindows

if TYPE_CHECKING:
    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import WindowCombineNode
    from eddyline.application.topology.windows import EnumerableWindows

_Partial: TypeAlias = "list[Any]"
"""The number of records, their aggregate, the greatest of their timestamps in ms since the epoch, the headers of the last one."""


def combine_windows(  # noqa: C901 - the loop over records calls nothing that it can do itself
    node: WindowCombineNode, context: OperatorContext, forward: StreamForward
) -> StreamForward:
    """Add each record to the partial aggregate of its key and pane; forward the partial aggregates at the commit.

    All records of a pane belong to the same windows, so a partial aggregate can be late as one record can. The task that merges
    it decides that, by a stream time that depends on the records of all tasks. What it decides is right for each record
    of the partial aggregate, because:

    - before a record that may close a window of a partial aggregate, all partial aggregates are forwarded;
    - a record that has no window, or one that may be closed already, is forwarded alone, after all partial aggregates.

    A window may be closed once the greatest timestamp of this task's records has reached its end and the grace period. Records of
    other tasks in the same batch do not close it earlier, since the task that merges always takes the record with the lowest
    timestamp of those that are next.

    A partial aggregate has the greatest timestamp of its records and the headers of the last one. Its value is a pair: the number
    of records, and the aggregate. Records with a null key are discarded, as they are before every repartition.
    """
    initializer, adder, with_key = node.fold.initial, node.fold.add, node.fold.with_key
    partials = _Partials(node.windows, forward)
    start, newest = partials.started.append, -1

    def first(key: Any, value: Any) -> Any:
        return adder(key, initializer(), value) if with_key else adder(initializer(), value)

    def process_all(records: RecordColumns) -> None:
        nonlocal newest
        pane, end, group = _NO_PANE
        for key, value, timestamp, headers in records.rows():
            if key is None:
                continue
            if timestamp > newest:
                newest = timestamp
                if timestamp >= partials.closes_at:
                    partials.flush()
                    end = -1
            if not pane <= timestamp < end:
                found = partials.pane_of(timestamp, newest)
                if found is None:
                    end = -1
                    partials.flush()
                    forward(key, (1, first(key, value)), timestamp, headers)
                    continue
                pane, end, group = found
            partial = group.get(key)
            if partial is None:
                group[key] = partial = [1, first(key, value), timestamp, headers]
                start((key, partial))
                continue
            partial[0] += 1
            partial[1] = adder(key, partial[1], value) if with_key else adder(partial[1], value)
            if timestamp > partial[2]:
                partial[2] = timestamp
            partial[3] = headers

    return collecting(node, context, process_all, partials.flush, partials.clear)


class _Pane(NamedTuple):
    """The partial aggregates of a pane by key."""

    start: int
    end: int
    partials: dict[Any, _Partial]


_NO_PANE = _Pane(-1, -1, {})


class _Partials:
    """The partial aggregates of the open panes; `started` has them and their keys in the order in which they were started."""

    def __init__(self, windows: EnumerableWindows, forward: StreamForward) -> None:
        self._windows, self._forward = windows, forward
        self._length = gcd(windows.size_ms, windows.advance_ms) if isinstance(windows, TimeWindows) else None
        self._panes: dict[int, _Pane] = {}
        self.started: list[tuple[Any, _Partial]] = []
        self.closes_at = inf
        """The first timestamp, in ms since the epoch, that may close a window of a partial aggregate."""

    def pane_of(self, timestamp: int, newest: int) -> _Pane | None:
        """Return the pane of a timestamp, None if it has no window or a record with the newest timestamp may have closed one."""
        windows = self._windows.windows_for(timestamp)
        if not windows:
            return None
        closes_at = windows[0].end + self._windows.grace_ms
        if closes_at <= newest:
            return None
        start = windows[0].start if self._length is None else timestamp - timestamp % self._length
        pane = self._panes.get(start)
        if pane is None:
            end = windows[0].end if self._length is None else start + self._length
            pane = self._panes[start] = _Pane(start, end, {})
            self.closes_at = min(self.closes_at, closes_at)
        return pane

    def flush(self) -> None:
        """Forward all partial aggregates and forget them."""
        taken = self.started[:]
        self.clear()
        for key, (count, aggregate, timestamp, headers) in taken:
            self._forward(key, (count, aggregate), timestamp, headers)

    def clear(self) -> None:
        """Forget all partial aggregates."""
        self.started.clear()
        self._panes.clear()
        self.closes_at = inf
