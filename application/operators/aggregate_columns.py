"""Aggregates many records by key at once: the row of a key is read from the store, and put there, once for a chunk of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.cached_aggregate import has_own_store
from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.forward_columns import forward_together

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import AggregateNode
    from eddyline.application.topology.records import Headers


def aggregate_in_columns(node: AggregateNode, context: OperatorContext, process: StreamForward, forward: TableForward) -> None:
    """Let many records of a node be aggregated at once, as `process` does for one, if each update goes straight to a topic.

    That is not done if something else reads the store, or updates may be undone.
    """
    columns_forward = context.columns_forward(node.name) if has_own_store(node, context) else None
    if columns_forward is None:
        return
    store = context.store(node.store)
    get, put, put_all = store.get, store.put, store.put_all
    initializer, adder, with_key = node.initializer, node.adder, node.with_key

    def process_all(records: Iterable[tuple[Any, Any, int, Headers]]) -> None:
        rows: dict[Any, tuple[Any, int] | None] = {}
        keys: list[Any] = []
        values: list[Any] = []
        timestamps: list[int] = []
        all_headers: list[Headers] = []
        ends: list[int] = []
        for key, value, timestamp, headers in records:
            if key is None or value is None:
                process(key, value, timestamp, headers)  # which drops it
                ends.append(len(values))
                continue
            row = rows[key] if key in rows else get(key)
            aggregate, newest = (initializer(), timestamp) if row is None else row
            new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
            if timestamp > newest:
                newest = timestamp
            if new is None and key in rows:
                put(key, rows[key])  # so that the deletion is a change
            rows[key] = None if new is None else (new, newest)
            keys.append(key)
            values.append(new)
            timestamps.append(newest)
            all_headers.append(headers)
            ends.append(len(values))
        put_all(rows)
        if values:
            forward_together(RecordColumns(keys, values, timestamps, all_headers), ends, forward, columns_forward)

    context.process_many(node.name, process_all)
