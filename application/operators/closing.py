"""Results that leave once, when their window is closed."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.application.operators.views import getter
from eddyline.application.ports.key_order import key_order
from eddyline.application.topology.event_windows import SessionWindows
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.views import StoredView
from eddyline.application.topology.windows import Window, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import Closing, WindowAggregateNode
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.window_nodes import SessionAggregateNode, SlidingAggregateNode

_Fold: TypeAlias = "WindowAggregateNode | SlidingAggregateNode | SessionAggregateNode"


def closing_results(
    node: _Fold, context: OperatorContext, forward: TableForward, newest: Callable[[int], int] = int
) -> ClosingResults | None:
    """What lets the results of a step out when their windows are closed, None where it lets each update out.

    `newest` is the time, by which the store lets go of others, of the newest entry that a record of a time brings.
    """
    windows, closes_after = node.windows, node.windows.closes_after_ms
    if node.closing is None or closes_after is None:
        return None
    if isinstance(windows, SessionWindows):
        return _ClosingSessions(node, node.closing, context, forward, closes_after_ms=closes_after + 1, newest=newest)
    return ClosingResults(node, node.closing, context, forward, closes_after_ms=closes_after, newest=newest)


class ClosingResults:
    """Remembers which windows have results, and lets each result out when its window is closed.

    A window is closed when stream time is `closes_after_ms` or more past its end. Closed windows leave by start, then key; a
    look at them is due with every record, or so long after the last look, by the wall clock, as the step says. What a store
    would let go of before the look is due leaves before it does.
    """

    kind = StoreKind.WINDOW

    def __init__(
        self,
        node: _Fold,
        closing: Closing,
        context: OperatorContext,
        forward: TableForward,
        *,
        closes_after_ms: int,
        newest: Callable[[int], int],
    ) -> None:
        self._windows: Any = node.windows
        self._context = context
        self._forward = forward
        self._store = context.store(node.store)
        self._fetch = getter(StoredView(node.store, self.kind), context)
        self._newest = newest
        self._closes_after = closes_after_ms
        self._interval = closing.interval_ms
        self._retention = closing.retention_ms
        self._time = context.cell(node.name)
        self._closed = context.cell(f"{node.name}:closed")
        self._next_look = context.cell(f"{node.name}:next-look") if self._interval else None
        self._open: set[Windowed[Any]] | None = None
        self._order: list[tuple[Any, Windowed[Any]]] = []

    def note(self, key: Windowed[Any], new: Any, _old: Any, _timestamp: int, _headers: Headers) -> None:
        """Takes an update of a result instead of letting it out."""
        known = self._known()
        if new is not None and key not in known:
            known.add(key)
            heappush(self._order, (self._rank(key), key))

    def before(self, timestamp: int, headers: Headers) -> None:
        """Lets out what the store will let go of when it takes the record of this time."""
        self._known()
        if self._order and self._order[0][0][0] <= timestamp - self._retention:
            horizon = self._newest(timestamp) - self._retention
            while self._order and self._order[0][0][0] <= horizon:
                self._leave(headers)

    def after(self, headers: Headers) -> None:
        """Lets out what is closed, when a look is due."""
        if self._next_look is not None:
            now = self._context.current_system_time_ms()
            if now < self._next_look.value:
                return
            self._next_look.value = now + self._interval
        self._closed.value = self._time.value - self._closes_after
        while self._order and self._order[0][1].window.end <= self._closed.value:
            self._leave(headers)

    def around(self, process: StreamForward, *, null_values: bool) -> StreamForward:
        """The fold with its results leaving before and after each record that it takes.

        `null_values` says whether it takes records without a value; records without a key it never takes.
        """
        before, after = self.before, self.after

        def process_and_close(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
            if key is None or (value is None and not null_values):
                process(key, value, timestamp, headers)
                return
            before(timestamp, headers)
            process(key, value, timestamp, headers)
            after(headers)

        return process_and_close

    def _leave(self, headers: Headers) -> None:
        _, key = heappop(self._order)
        self._known().discard(key)
        row = self._fetch(key)
        if row is not None:
            self._forward(key, row[0], None, row[1], headers)

    def _known(self) -> set[Windowed[Any]]:
        """The windows that have not left. At first they are read from the store, which may have been restored."""
        if self._open is None:
            self._open = {key for key in self._kept() if key.window.end > self._closed.value}
            self._order = [(self._rank(key), key) for key in self._open]
            heapify(self._order)
        return self._open

    def _kept(self) -> Iterator[Windowed[Any]]:
        """All keys in windows that have a result."""
        return (Windowed(key, self._windows.window_at(start)) for (key, start), _ in self._store.snapshot())

    def _rank(self, key: Windowed[Any]) -> tuple[Any, ...]:
        """What windows leave by; first the time by which the store lets go of them."""
        return key.window.start, key_order(key.key)


class _ClosingSessions(ClosingResults):
    """Sessions leave by end, then start, then key."""

    kind = StoreKind.SESSION

    def _kept(self) -> Iterator[Windowed[Any]]:
        return (Windowed(key, Window(start, end)) for (key, start, end), _ in self._store.snapshot())

    def _rank(self, key: Windowed[Any]) -> tuple[Any, ...]:
        return key.window.end, key.window.start, key_order(key.key)
