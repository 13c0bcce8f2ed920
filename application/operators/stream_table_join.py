"""Joins a stream with the current rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.joiners import joiner_of
from eddyline.application.operators.stream_versioned_table_join import join_stream_with_versioned_table
from eddyline.application.operators.value_getters import getter_of
from eddyline.application.topology.callables import NO_RESULTS, refuse

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import StreamTableJoinNode
    from eddyline.application.topology.records import Headers


def join_stream_with_table(node: StreamTableJoinNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Join each record with the row of its key, or of the key that the selector returns, at the record's own timestamp.

    A record with a null value is dropped. A null key has no row: an inner join drops the record, a left join forwards it.
    """
    if node.table.versioned_store is not None:
        return join_stream_with_versioned_table(node, context, forward)
    get, selector = getter_of(node.table, context), node.key_selector
    joiner = joiner_of(node)
    keeps_left, drop = node.kind.keeps_left, context.drop
    null_key = DropReason.NULL_KEY if selector is None else DropReason.NULL_JOIN_KEY

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if value is None:
            drop(node.name, DropReason.NULL_VALUE, key, value, timestamp, headers)
            return
        row_key = key if selector is None else selector(key, value)
        if type(row_key) in NO_RESULTS:
            refuse(row_key, "a key selector")
        if row_key is None:
            if keeps_left:
                forward(key, joiner(key, value, None), timestamp, headers)
            else:
                drop(node.name, null_key, key, value, timestamp, headers)
            return
        row = get(row_key)
        if row is not None:
            forward(key, joiner(key, value, row[0]), timestamp, headers)
        elif keeps_left:
            forward(key, joiner(key, value, None), timestamp, headers)

    return process
