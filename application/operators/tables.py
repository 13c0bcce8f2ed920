"""Operators of a single table: read it, filter it, transform its values, turn it into a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.application.operators.columns import mapper_of
from eddyline.application.operators.context import DropReason, to_nobody
from eddyline.application.operators.value_transformer import transformer_of
from eddyline.application.operators.versioned import put_version_and_emit
from eddyline.application.topology.callables import NO_RESULTS, is_true, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import (
        TableFilterNode,
        TableMapValuesNode,
        TableSourceNode,
        TableToStreamNode,
        TableTransformValuesNode,
    )
    from eddyline.application.topology.records import Headers

    Row: TypeAlias = tuple[Any, int]
    Put: TypeAlias = Callable[[Any, Row | None], None]


def table_source(node: TableSourceNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Store the latest value of each key and forward every update; records with a null key are dropped."""
    if forward is to_nobody and not context.is_versioned(node.store):
        return _stored_alone(node, context)
    get, drop = context.store(node.store).get, context.drop
    put, emit = put_and_emission(node.name, node.store, context, forward)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)
            return
        row = get(key)
        put(key, None if value is None else (value, timestamp))
        emit(key, value, None if row is None else row[0], timestamp, headers)

    return process


def _stored_alone(node: TableSourceNode, context: OperatorContext) -> StreamForward:
    """Store the latest value of each key, one or many at once."""
    put, drop = context.store(node.store).put, context.drop

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            drop(node.name, DropReason.NULL_KEY, key, value, timestamp, headers)
        else:
            put(key, None if value is None else (value, timestamp))

    def process_all(records: RecordColumns) -> None:
        for key, value, timestamp, headers in records.rows():
            if key is None or value is None:
                process(key, value, timestamp, headers)
            else:
                put(key, (value, timestamp))

    context.process_many(node.name, process_all)
    return process


def to_stream(_node: TableToStreamNode, _context: OperatorContext, forward: StreamForward) -> TableForward:
    """Forward the new value of each update."""

    def process(key: Any, new: Any, _old: Any, timestamp: int, headers: Headers) -> None:
        forward(key, new, timestamp, headers)

    return process


def filter_table(node: TableFilterNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Forward the rows that match the predicate, and a deletion for each row that does not.

    With old values, only a row that matched before is deleted, except in a versioned table (KIP-914).
    """
    predicate, every_deletion = node.predicate, node.versioned or not node.old_values
    emit = _derived_emission(node, context, forward)

    def filtered(key: Any, value: Any) -> Any:
        return value if value is not None and is_true(predicate(key, value)) else None

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        filtered_new, filtered_old = filtered(key, new), filtered(key, old)
        if every_deletion or filtered_new is not None or filtered_old is not None:
            emit(key, filtered_new, filtered_old, timestamp, headers)

    return process


def map_table_values(node: TableMapValuesNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Forward every update with transformed values; a deletion remains a deletion."""
    mapper, with_key = mapper_of(node), node.with_key
    emit = _derived_emission(node, context, forward)

    def mapped(key: Any, value: Any) -> Any:
        if value is None:
            return None
        found = mapper(key, value) if with_key else mapper(value)
        if type(found) in NO_RESULTS:
            refuse(found, "a mapper")
        return found

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


def _derived_emission(
    node: TableFilterNode | TableMapValuesNode, context: OperatorContext, forward: TableForward
) -> TableForward:
    """Return the function that stores each update of a derived table, if it has a store, and emits it.

    The old value is the stored one if it derives from a versioned table: an update of the latter may replace another row there.
    """
    if node.store is None:
        return forward
    emit = store_and_emit(node.name, node.store, context, forward)
    if not node.versioned:
        return emit
    get = context.store(node.store).get

    def process(key: Any, new: Any, _old: Any, timestamp: int, headers: Headers) -> None:
        row = get(key)
        emit(key, new, None if row is None else row[0], timestamp, headers)

    return process


def store_and_emit(node: str, store: str, context: OperatorContext, forward: TableForward) -> TableForward:
    """Return a function that puts each update of a node into its store, then emits it."""
    if context.is_versioned(store):
        return put_version_and_emit(node, store, context, forward)
    put = context.store(store).put
    emit = context.emission(node, forward)

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        put(key, None if new is None else (new, timestamp))
        emit(key, new, old, timestamp, headers)

    return process


def put_and_emission(node: str, store: str, context: OperatorContext, forward: TableForward) -> tuple[Put, TableForward]:
    """Return the function that puts a row of a node into its store, and the one that emits the update after that.

    In a versioned store, the second one does both, since it knows the timestamp of a deletion, and forwards only what was put.
    """
    if context.is_versioned(store):
        return _put_later, put_version_and_emit(node, store, context, forward)
    put: Put = context.store(store).put
    return put, context.emission(node, forward)


def _put_later(_key: Any, _row: Row | None) -> None:
    """Leave the row to the function that emits the update."""
