"""The verbs on a single table: filter and map_values, kept in a store or passed on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, TableForward
    from eddyline.application.topology.records import Headers
    from eddyline.application.topology.table_nodes import TableFilterNode, TableMapValuesNode


def filter_table(node: TableFilterNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Forwards rows that the predicate holds for, and the deletion of rows that it held for until now."""
    predicate = node.predicate
    emit = forward if node.store is None else put_and(node.name, node.store, context, forward)

    def kept(key: Any, value: Any) -> Any:
        return value if value is not None and predicate(key, value) else None

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        kept_new, kept_old = kept(key, new), kept(key, old)
        if kept_new is not None or kept_old is not None:
            emit(key, kept_new, kept_old, timestamp, headers)

    return process


def map_table_values(node: TableMapValuesNode, context: OperatorContext, forward: TableForward) -> TableForward:
    """Forwards every update with new values; a deletion stays one."""
    mapper, with_key = node.mapper, node.with_key
    emit = forward if node.store is None else put_and(node.name, node.store, context, forward)

    def mapped(key: Any, value: Any) -> Any:
        if value is None:
            return None
        return mapper(key, value) if with_key else mapper(value)

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        emit(key, mapped(key, new), mapped(key, old), timestamp, headers)

    return process


def put_and(step: str, name: str, context: OperatorContext, forward: TableForward) -> TableForward:
    """Puts each update into the store of this name, then emits it."""
    put = context.store(name).put
    emit = context.emission(step, forward)

    def keep(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        put(key, None if new is None else (new, timestamp))
        emit(key, new, old, timestamp, headers)

    return keep
