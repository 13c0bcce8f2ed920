"""Grouping a table by another key: what enters a group is added to its aggregate, what leaves it is subtracted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.table_nodes import TableAggregateNode, TableGroupByNode


def group_table(node: TableGroupByNode, _context: OperatorContext, forward: StreamForward) -> TableForward:
    """Forwards, under the group's key, the pair of the value that enters and the value that leaves.

    A row that stays in its group gives one record. One that moves gives one to the old group, then one to the new.
    """
    selector = node.selector

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        left, leaving = (None, None) if old is None else selector(key, old)
        entered, entering = (None, None) if new is None else selector(key, new)
        leaves = left is not None and leaving is not None
        enters = entered is not None and entering is not None
        if leaves and enters and left == entered:
            forward(entered, (entering, leaving), timestamp, headers)
            return
        if leaves:
            forward(left, (None, leaving), timestamp, headers)
        if enters:
            forward(entered, (entering, None), timestamp, headers)

    return process


def aggregate_table(node: TableAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Takes the leaving value out of the group's aggregate, then adds the entering one; the greatest timestamp stays.

    Nothing is taken out of a group that has no aggregate.
    """
    store = context.store(node.store)
    get, put = store.get, store.put
    emit = context.emission(node.name, forward)
    initializer = node.initializer
    add, subtract = _with_key(node.adder, node), _with_key(node.subtractor, node)

    def process(key: Any, change: tuple[Any, Any], timestamp: int, headers: Headers) -> None:
        entering, leaving = change
        row = get(key)
        old = None if row is None else row[0]
        new = old
        if leaving is not None and old is not None:
            new = subtract(key, old, leaving)
        if entering is not None:
            new = add(key, initializer() if new is None else new, entering)
        if row is not None and row[1] > timestamp:
            timestamp = row[1]
        put(key, None if new is None else (new, timestamp))
        emit(key, new, old, timestamp, headers)

    return process


def _with_key(function: Callable[..., Any], node: TableAggregateNode) -> Callable[[Any, Any, Any], Any]:
    return function if node.with_key else lambda _key, aggregate, value: function(aggregate, value)
