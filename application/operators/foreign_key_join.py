"""Foreign-key joins of tables, in three operators without a cycle.

The first sends each update of a left row to the task of its foreign key, with the left value and a version that increases with
every update. The second stores the left row as a subscription, and responds to every update of either side with left value,
right value and version. The third joins the responses by the left key, and ignores those with an older version.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.joiners import joiner_of
from eddyline.application.operators.tables import store_and_emit
from eddyline.application.operators.value_getters import getter_of
from eddyline.application.operators.versioned import latest_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import ForeignKeyResponseNode, ForeignKeyResultNode, ForeignKeySubscriptionNode
    from eddyline.application.topology.records import Headers


class Instruction(IntEnum):
    """What the task of a foreign key does with a left row; the numbers are part of repartition topics."""

    SUBSCRIBE_AND_RESPOND_IF_MATCHED = 0
    SUBSCRIBE_AND_RESPOND = 1
    UNSUBSCRIBE = 2
    UNSUBSCRIBE_AND_RESPOND = 3


def subscribe(node: ForeignKeySubscriptionNode, context: OperatorContext, forward: StreamForward) -> TableForward:
    """Forward the updates of left rows, keyed by foreign key: (left key, left value, instruction, version).

    A row whose foreign key changes is unsubscribed from the old one first. An inner join drops a row without a foreign key, and
    deletes its result if it had a foreign key before; a left join asks for a response to it, under a null key.
    """
    extract, drop, version = node.foreign_key, context.drop, context.cell(f"{node.name}:version")
    instructions = _left_join_instructions if node.kind.keeps_left else _inner_join_instructions

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        old_key = None if old is None else extract(old)
        new_key = None if new is None else extract(new)
        version.value += 1
        if new is not None and new_key is None and not node.kind.keeps_left:
            drop(node.name, DropReason.NULL_JOIN_KEY, key, new, timestamp, headers)
        for foreign_key, instruction in instructions(new, old, new_key, old_key):
            left = None if instruction >= Instruction.UNSUBSCRIBE else new
            forward(foreign_key, (key, left, int(instruction), version.value), timestamp, headers)

    return latest_only(node.name, node.versioned_store, context, process)


def _inner_join_instructions(new: Any, _old: Any, new_key: Any, old_key: Any) -> list[tuple[Any, Instruction]]:
    if new is None or new_key is None:
        return [] if old_key is None else [(old_key, Instruction.UNSUBSCRIBE_AND_RESPOND)]
    if old_key is None or old_key == new_key:
        return [(new_key, Instruction.SUBSCRIBE_AND_RESPOND_IF_MATCHED)]
    return [(old_key, Instruction.UNSUBSCRIBE), (new_key, Instruction.SUBSCRIBE_AND_RESPOND)]


def _left_join_instructions(new: Any, old: Any, new_key: Any, old_key: Any) -> list[tuple[Any, Instruction]]:
    if new is None and old is None:
        return []
    subscription = (new_key, Instruction.SUBSCRIBE_AND_RESPOND)
    if old_key is None or old_key == new_key:
        return [subscription]
    return [(old_key, Instruction.UNSUBSCRIBE), subscription]


def respond(node: ForeignKeyResponseNode, context: OperatorContext, forward: StreamForward) -> tuple[StreamForward, TableForward]:
    """Return the functions for subscriptions and for updates of the right table.

    Both forward responses, keyed by left key: (left value, right value, version). The response to a subscription has the
    greater timestamp of both rows. Responses to an update of a right row have its timestamp, in the order of the left keys.
    """
    get_right, store = getter_of(node.right, context), context.store(node.store)

    def process_subscription(foreign_key: Any, value: tuple[Any, Any, int, int], timestamp: int, headers: Headers) -> None:
        key, left, instruction, version = value
        if foreign_key is None:
            forward(key, (left, None, version), timestamp, headers)
            return
        if instruction >= Instruction.UNSUBSCRIBE:
            store.delete((foreign_key, key))
        else:
            store.put((foreign_key, key), (left, version))
        if instruction == Instruction.UNSUBSCRIBE:
            return
        row = get_right(foreign_key)
        if row is None:
            if instruction != Instruction.SUBSCRIBE_AND_RESPOND_IF_MATCHED:
                forward(key, (left, None, version), timestamp, headers)
            return
        forward(key, (left, row[0], version), max(timestamp, row[1]), headers)

    def process_right(foreign_key: Any, new: Any, _old: Any, timestamp: int, headers: Headers) -> None:
        for (_, key), (left, version) in store.prefix_scan((foreign_key,)):
            forward(key, (left, new, version), timestamp, headers)

    return process_subscription, latest_only(node.name, node.right.versioned_store, context, process_right)


def join_responses(node: ForeignKeyResultNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Join the values of each response; without a left value, or in an inner join without a right one, delete the result.

    Responses from several tasks may arrive out of order, but only between two commits: until the next commit, a response with
    an older version than another one for the same row is ignored.
    """
    joiner, keeps_left = joiner_of(node), node.kind.keeps_left
    newest_versions = context.scratch()
    get: Callable[[Any], tuple[Any, int] | None] = _no_row
    emit = forward
    if node.store is not None:
        get, emit = context.store(node.store).get, store_and_emit(node.name, node.store, context, forward)
    context.on_commit(newest_versions.clear)

    def process(key: Any, value: tuple[Any, Any, int], timestamp: int, headers: Headers) -> None:
        left, right, version = value
        if newest_versions.get(key, version) > version:
            return
        newest_versions[key] = version
        new = None if left is None or (right is None and not keeps_left) else joiner(key, left, right)
        row = get(key)
        emit(key, new, None if row is None else row[0], timestamp, headers)

    return process


def _no_row(_key: Any) -> None:
    return None
