"""Operators of a single table: read it, filter it, transform its values, turn it into a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.value_transformer import transformer_of

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import (
        TableFilterNode,
        TableMapValuesNode,
        TableSourceNode,
        TableToStreamNode,
        TableTransformValuesNode,
    )
    from eddyline.application.topology.records import Headers


def table_source(node: TableSourceNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Store the latest value of each key and forward every update; records with a null key are dropped."""
    store = context.store(node.store)
    get, put, drop = store.get, store.put, context.drop
    emit = context.emission(node.name, forward)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)
            return
        row = get(key)
        put(key, None if value is None else (value, timestamp))
        emit(key, value, None if row is None else row[0], timestamp, headers)

    return process


def to_stream(_node: TableToStreamNode, _context: OperatorContext, forward: StreamForward) -> TableForward:
    """Forward the new value of each update."""

    def process(key: Any, new: Any, _old: Any, timestamp: int, headers: Headers) -> None:
        forward(key, new, timestamp, headers)

    return process


def filter_table(node: TableFilterNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Forward the rows that match the predicate, and a deletion for each row that does not.

    With old values, only a row that matched before is deleted.
    """
    predicate, every_deletion = node.predicate, not node.old_values
    emit = forward if node.store is None else store_and_emit(node.name, node.store, context, forward)

    def filtered(key: Any, value: Any) -> Any:
        return value if value is not None and predicate(key, value) else None

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        filtered_new, filtered_old = filtered(key, new), filtered(key, old)
        if every_deletion or filtered_new is not None or filtered_old is not None:
            emit(key, filtered_new, filtered_old, timestamp, headers)

    return process


def map_table_values(node: TableMapValuesNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Forward every update with transformed values; a deletion remains a deletion."""
    mapper, with_key = node.mapper, node.with_key
    emit = forward if node.store is None else store_and_emit(node.name, node.store, context, forward)

    def mapped(key: Any, value: Any) -> Any:
        if value is None:
            return None
        return mapper(key, value) if with_key else mapper(value)

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        emit(key, mapped(key, new), mapped(key, old), timestamp, headers)

    return process


def transform_table_values(node: TableTransformValuesNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Forward every update with the value that the transformer returns, which is also called for deletions.

    The old value is the stored one; without a store, the transformer is called for it if it is needed downstream.
    """
    transform = transformer_of(node.name, node.supplier, node.stores, context)
    emit = forward if node.store is None else store_and_emit(node.name, node.store, context, forward)

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        transformed = transform(key, new)
        emit(key, transformed, transform(key, old) if old_values else None, timestamp, headers)

    def process_stored(key: Any, new: Any, _old: Any, timestamp: int, headers: Headers) -> None:
        transformed, row = transform(key, new), get(key)
        emit(key, transformed, None if row is None else row[0], timestamp, headers)

    if node.store is None:
        old_values = node.old_values
        return process
    get = context.store(node.store).get
    return process_stored


def store_and_emit(node: str, store: str, context: OperatorContext, forward: TableForward) -> TableForward:
    """Return a function that puts each update of a node into its store, then emits it."""
    put = context.store(store).put
    emit = context.emission(node, forward)

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        put(key, None if new is None else (new, timestamp))
        emit(key, new, old, timestamp, headers)

    return process
