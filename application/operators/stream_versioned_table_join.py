"""Joins a stream with a versioned table: with the rows as of the time of each record, at once or after a grace period."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.joiners import joiner_of
from eddyline.application.operators.value_getters import as_of_getter_of
from eddyline.application.ports.key_order import key_order

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import JoinBuffer, StreamTableJoinNode
    from eddyline.application.topology.records import Headers


def join_stream_with_versioned_table(
    node: StreamTableJoinNode, context: OperatorContext, forward: StreamForward
) -> StreamForward:
    """Join each record with the row of its key as of the record's timestamp (KIP-914).

    With a grace period, records are buffered until stream time has passed their timestamp by it (KIP-923).
    """
    get = as_of_getter_of(node.table, context)
    joiner = joiner_of(node)
    keeps_left, drop = node.kind.keeps_left, context.drop

    def join(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        row = get(key, timestamp)
        if row is not None:
            forward(key, joiner(key, value, row[0]), timestamp, headers)
        elif keeps_left:
            forward(key, joiner(key, value, None), timestamp, headers)

    join_in_time = join if node.buffer is None else _Buffer(node.name, node.buffer, context, join).add

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if value is None:
            drop(node.name, DropReason.NULL_VALUE, key, value, timestamp, headers)
        elif key is not None:
            join_in_time(key, value, timestamp, headers)
        elif keeps_left:
            forward(key, joiner(key, value, None), timestamp, headers)
        else:
            drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)

    return process


class _Buffer:
    """The records of one task that wait for the end of their grace period, as in RocksDBTimeOrderedKeyValueBuffer.

    Stream time is the greatest timestamp of the records that were buffered. A record that is older than stream time minus the
    grace period is joined at once. The others leave in the order of timestamp, key and arrival. The queue is derived from the
    store, which may be restored.
    """

    def __init__(self, node: str, buffer: JoinBuffer, context: OperatorContext, join: StreamForward) -> None:
        self._grace = buffer.grace_ms
        self._store = context.store(buffer.store)
        self._stream_time = context.cell(node)
        self._arrivals = context.cell(f"{node}:arrivals")
        self._join, self._join_due = join, context.isolated(join)
        self._undo = context.undo
        self._loaded: list[tuple[int, Any, int, Any]] | None = None
        context.on_restore(self._forget)
        context.keep_time(node, self._stream_time, self.join_due)

    def add(self, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Buffer a record, or join it if it is late; then join the records whose grace period is over."""
        queue, stream_time, arrivals = self._queue(), self._stream_time, self._arrivals
        if timestamp < stream_time.value - self._grace:
            self._join(key, value, timestamp, headers)
            return
        if self._undo is not None:
            self._undo.append(self._forget)
        stream_time.value = max(stream_time.value, timestamp)
        arrivals.value += 1
        self._store.put((timestamp, key, arrivals.value), (value, headers))
        heappush(queue, (timestamp, key_order(key), arrivals.value, key))
        if queue[0][0] <= stream_time.value - self._grace:
            self.join_due()

    def join_due(self) -> None:
        """Join the records whose grace period is over."""
        queue, latest = self._queue(), self._stream_time.value - self._grace
        while queue and queue[0][0] <= latest:
            due, _, arrival, due_key = heappop(queue)
            due_value, due_headers = self._store.delete((due, due_key, arrival))
            self._join_due(due_key, due_value, due, due_headers)

    def _forget(self) -> None:
        """Load the queue again, since the store was restored, or what was buffered or joined is undone."""
        self._loaded = None

    def _queue(self) -> list[tuple[int, Any, int, Any]]:
        if self._loaded is None:
            self._loaded = [(timestamp, key_order(key), arrival, key) for (timestamp, key, arrival), _ in self._store.range()]
            heapify(self._loaded)
        return self._loaded
