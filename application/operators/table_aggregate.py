"""Groups a table by another key: the value of a row is added to the aggregate of its group, or subtracted from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from eddyline.application.operators.tables import put_and_emission
from eddyline.application.operators.versioned import latest_only

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import TableAggregateNode, TableGroupByNode
    from eddyline.application.topology.records import Headers


_NO_GROUP: Final = (None, None)


def group_table(node: TableGroupByNode, context: OperatorContext, forward: StreamForward) -> TableForward:
    """Forward, keyed by group, the pair of the value to add and the value to subtract.

    An update that leaves a row in its group gives one record; one that changes the group gives a record to the old group, then
    one to the new group. A row for which the selector returns None, or None as the key, is in no group. Updates of a versioned
    table that are out of order are skipped.
    """
    selector = node.selector

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        old_group, removed = _NO_GROUP if old is None else selector(key, old) or _NO_GROUP
        new_group, added = _NO_GROUP if new is None else selector(key, new) or _NO_GROUP
        removes = old_group is not None and removed is not None
        adds = new_group is not None and added is not None
        if removes and adds and old_group == new_group:
            forward(new_group, (added, removed), timestamp, headers)
            return
        if removes:
            forward(old_group, (None, removed), timestamp, headers)
        if adds:
            forward(new_group, (added, None), timestamp, headers)

    return latest_only(node.name, node.versioned_store, context, process, drops=False)


def aggregate_table(node: TableAggregateNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Subtract the removed value from the group's aggregate, then add the added value; keep the greatest timestamp.

    Nothing is subtracted from a group without an aggregate.
    """
    get = context.store(node.store).get
    put, emit = put_and_emission(node.name, node.store, context, forward)
    initializer, add, subtract = node.fold.initial, node.fold.keyed_add(), node.fold.keyed_subtract()

    def process(key: Any, change: tuple[Any, Any], timestamp: int, headers: Headers) -> None:
        added, removed = change
        row = get(key)
        old = None if row is None else row[0]
        new = old
        if removed is not None and old is not None:
            new = subtract(key, old, removed)
        if added is not None:
            new = add(key, initializer() if new is None else new, added)
        if row is not None and row[1] > timestamp:
            timestamp = row[1]
        put(key, None if new is None else (new, timestamp))
        emit(key, new, old, timestamp, headers)

    return process
