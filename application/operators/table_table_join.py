"""Joins two tables by equal keys: each update of one side is joined with the current row of the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.joiners import joiner_of
from eddyline.application.operators.tables import store_and_emit
from eddyline.application.operators.value_getters import emitted_getter_of, in_windows_of
from eddyline.application.operators.versioned import latest_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, TableForward
    from eddyline.application.operators.joiners import JoinerWithKey
    from eddyline.application.operators.value_getters import Getter
    from eddyline.application.topology.nodes import TableTableJoinNode
    from eddyline.application.topology.records import Headers


def join_tables(node: TableTableJoinNode, context: OperatorContext, forward: TableForward) -> tuple[TableForward, TableForward]:
    """Return the functions for the updates of the left and of the right table.

    A joined row has the greater timestamp of the update, which may be a deletion, and of the row of the other side, if any.
    Updates of a versioned table that are out of order are dropped (KIP-914).
    """
    joiner = joiner_of(node)
    emit = forward if node.store is None else store_and_emit(node.name, node.store, context, forward)
    kind = node.kind

    def right_joiner(key: Any, right: Any, left: Any) -> Any:
        return joiner(key, left, right)

    get_left, get_right = emitted_getter_of(node.left, context), emitted_getter_of(node.right, context)
    process_left = _side(get_right, joiner, emit, keeps_this=kind.keeps_left, keeps_other=kind.keeps_right)
    process_right = _side(get_left, right_joiner, emit, keeps_this=kind.keeps_right, keeps_other=kind.keeps_left)
    if node.left_size_ms is not None:
        process_right = _with_keys(in_windows_of(node.left_size_ms), process_right)
    return (
        latest_only(node.name, node.left.versioned_store, context, process_left),
        latest_only(node.name, node.right.versioned_store, context, process_right),
    )


def _with_keys(key_of: Callable[[Any], Any], process: TableForward) -> TableForward:
    def process_with_key(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        process(key_of(key), new, old, timestamp, headers)

    return process_with_key


def _side(get_other: Getter, joiner: JoinerWithKey, emit: TableForward, *, keeps_this: bool, keeps_other: bool) -> TableForward:
    """Return the function for one side; `joiner` takes (key, this, other), and a side is kept if its unmatched rows are."""

    def joined(key: Any, this: Any, other: Any) -> Any:
        if this is None:
            return joiner(key, None, other) if keeps_other and other is not None else None
        return joiner(key, this, other) if keeps_this or other is not None else None

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        row = get_other(key)
        if row is None:
            if not keeps_this or (new is None and old is None):
                return
            other = None
        else:
            other = row[0]
            timestamp = max(timestamp, row[1])
        emit(key, joined(key, new, other), joined(key, old, other), timestamp, headers)

    return process
