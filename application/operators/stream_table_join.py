"""Joining a stream with the current rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import Drop
from eddyline.application.operators.joining import joiner_with_key
from eddyline.application.operators.views import getter

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.join_nodes import StreamTableJoinNode
    from eddyline.application.topology.records import Headers


def join_stream_with_table(node: StreamTableJoinNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Joins each record with the row of its key, or of the key that the step's selector gives, at the record's own time.

    Null values are dropped. A null key finds no row: an inner join drops the record, a left join forwards it.
    """
    get, selector = getter(node.table, context), node.key_selector
    joined = joiner_with_key(node.joiner, with_key=node.with_key)
    keeps_left, drop = node.kind.keeps_left, context.drop
    no_key = Drop.NULL_KEY if selector is None else Drop.NULL_JOIN_KEY

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if value is None:
            drop(node.name, Drop.NULL_VALUE, key, value, timestamp, headers)
            return
        row_key = key if selector is None else selector(key, value)
        if row_key is None:
            if keeps_left:
                forward(key, joined(key, value, None), timestamp, headers)
            else:
                drop(node.name, no_key, key, value, timestamp, headers)
            return
        row = get(row_key)
        if row is not None:
            forward(key, joined(key, value, row[0]), timestamp, headers)
        elif keeps_left:
            forward(key, joined(key, value, None), timestamp, headers)

    return process
