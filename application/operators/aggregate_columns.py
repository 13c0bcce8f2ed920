"""Aggregates many records by key at once: the row of a key is read from the store, and put there, once for a chunk of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.cached_aggregate import has_own_store
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import StoreChange

if TYPE_CHECKING:
    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import AggregateNode


def aggregate_in_columns(node: AggregateNode, context: OperatorContext, process: StreamForward, forward: TableForward) -> None:
    """Let many records of a node be aggregated at once, as `process` does for one, if what follows takes many updates at once.

    That is not done if something else reads the store.
    """
    forward_all = context.columns_forward(node.name, forward) if has_own_store(node, context) else None
    if forward_all is None:
        return
    store = context.store(node.store)
    get, put, put_all = store.get, store.put, store.put_all
    initializer, adder, with_key, undo = node.initializer, node.adder, node.with_key, context.undo

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
