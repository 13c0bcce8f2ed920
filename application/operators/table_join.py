"""Joining two tables by equal keys: each update of a side is joined with the other side's current row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.joining import joiner_with_key
from eddyline.application.operators.table_steps import put_and
from eddyline.application.operators.views import emitted_getter

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, TableForward
    from eddyline.application.operators.joining import Joined
    from eddyline.application.operators.views import Getter
    from eddyline.application.topology.join_nodes import TableTableJoinNode
    from eddyline.application.topology.records import Headers


def join_tables(node: TableTableJoinNode, context: OperatorContext, forward: TableForward) -> tuple[TableForward, TableForward]:
    """The entries of the left and of the right table.

    A joined row has the greater time of the update and of the other side's row; a deletion counts with its own time, a row
    that is not there with none.
    """
    joined = joiner_with_key(node.joiner, with_key=node.with_key)
    emit = forward if node.store is None else put_and(node.name, node.store, context, forward)
    kind = node.kind

    def of_right(key: Any, right: Any, left: Any) -> Any:
        return joined(key, left, right)

    return (
        _side(emitted_getter(node.right, context), joined, emit, keeps_this=kind.keeps_left, keeps_other=kind.keeps_right),
        _side(emitted_getter(node.left, context), of_right, emit, keeps_this=kind.keeps_right, keeps_other=kind.keeps_left),
    )


def _side(get_other: Getter, joined: Joined, emit: TableForward, *, keeps_this: bool, keeps_other: bool) -> TableForward:
    """One side; `joined` takes (key, this, other). A side is kept when its rows without a partner come out."""

    def result(key: Any, this: Any, other: Any) -> Any:
        if this is None:
            return joined(key, None, other) if keeps_other and other is not None else None
        return joined(key, this, other) if keeps_this or other is not None else None

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        row = get_other(key)
        if row is None:
            if not keeps_this or (new is None and old is None):
                return
            other = None
        else:
            other = row[0]
            timestamp = max(timestamp, row[1])
        emit(key, result(key, new, other), result(key, old, other), timestamp, headers)

    return process
