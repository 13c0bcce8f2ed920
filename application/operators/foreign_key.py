"""Joining a table with the rows that its foreign key points to, in three steps that no record passes twice.

The left side sends each change to where the foreign key is, with the left value and a version that grows with every change.
There a subscription keeps both, and each change of either side is answered with left value, right value and version. The
answers come together again by the left key, where an older version never follows a newer one.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import Drop
from eddyline.application.operators.joining import joiner_with_key
from eddyline.application.operators.table_steps import put_and
from eddyline.application.operators.views import getter

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.join_nodes import ForeignKeyAnswerNode, ForeignKeyResultNode, ForeignKeySubscribeNode
    from eddyline.application.topology.records import Headers


class Instruction(IntEnum):
    """What a left row asks of the place of a foreign key."""

    SUBSCRIBE_AND_ANSWER_MATCHES = 0
    SUBSCRIBE_AND_ANSWER = 1
    UNSUBSCRIBE = 2
    UNSUBSCRIBE_AND_ANSWER = 3


def subscribe(node: ForeignKeySubscribeNode, context: OperatorContext, forward: StreamForward) -> TableForward:
    """Sends the changes of left rows to their foreign keys: (left key, left value, instruction, version).

    A row that leaves a foreign key tells it so first. An inner join drops a row without a foreign key, and deletes its result
    where it had one before; a left join asks for an answer even so, under no key.
    """
    extract, drop, version = node.foreign_key, context.drop, context.cell(f"{node.name}:version")
    send = _inner if not node.kind.keeps_left else _left

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        old_key = None if old is None else extract(old)
        new_key = None if new is None else extract(new)
        version.value += 1
        if new is not None and new_key is None and not node.kind.keeps_left:
            drop(node.name, Drop.NULL_JOIN_KEY, key, new, timestamp, headers)
        for foreign_key, instruction in send(new, old, new_key, old_key):
            left = None if instruction >= Instruction.UNSUBSCRIBE else new
            forward(foreign_key, (key, left, int(instruction), version.value), timestamp, headers)

    return process


def _inner(new: Any, _old: Any, new_key: Any, old_key: Any) -> list[tuple[Any, Instruction]]:
    if new is None or new_key is None:
        return [] if old_key is None else [(old_key, Instruction.UNSUBSCRIBE_AND_ANSWER)]
    if old_key is None or old_key == new_key:
        return [(new_key, Instruction.SUBSCRIBE_AND_ANSWER_MATCHES)]
    return [(old_key, Instruction.UNSUBSCRIBE), (new_key, Instruction.SUBSCRIBE_AND_ANSWER)]


def _left(new: Any, old: Any, new_key: Any, old_key: Any) -> list[tuple[Any, Instruction]]:
    if new is None and old is None:
        return []
    asked = (new_key, Instruction.SUBSCRIBE_AND_ANSWER)
    if old_key is None or old_key == new_key:
        return [asked]
    return [(old_key, Instruction.UNSUBSCRIBE), asked]


def answer(node: ForeignKeyAnswerNode, context: OperatorContext, forward: StreamForward) -> tuple[StreamForward, TableForward]:
    """The entries of the subscriptions and of the right table; answers are (left value, right value, version) by left key.

    An answer to the left side has the greater time of both rows; one that a right row's change brings has that row's time, and
    goes to the left rows in the order of their keys.
    """
    get_right, store = getter(node.right, context), context.store(node.store)

    def subscription(foreign_key: Any, value: tuple[Any, Any, int, int], timestamp: int, headers: Headers) -> None:
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
            if instruction != Instruction.SUBSCRIBE_AND_ANSWER_MATCHES:
                forward(key, (left, None, version), timestamp, headers)
            return
        forward(key, (left, row[0], version), max(timestamp, row[1]), headers)

    def right(foreign_key: Any, new: Any, _old: Any, timestamp: int, headers: Headers) -> None:
        for (_, key), (left, version) in store.prefix_scan((foreign_key,)):
            forward(key, (left, new, version), timestamp, headers)

    return subscription, right


def result(node: ForeignKeyResultNode, context: OperatorContext, forward: TableForward) -> StreamForward:
    """Joins what the answers bring; without a left value, or in an inner join without a right one, the result is deleted.

    Answers from several places may overtake each other on the way, but not beyond a commit; of those that come before it, an
    answer that is older than another for the same row is left out.
    """
    joined, keeps_left = joiner_with_key(node.joiner, with_key=node.with_key), node.kind.keeps_left
    newest: dict[Any, int] = {}
    old_of: Callable[[Any], tuple[Any, int] | None] = _no_row
    emit = forward
    if node.store is not None:
        old_of, emit = context.store(node.store).get, put_and(node.name, node.store, context, forward)
    context.on_commit(newest.clear)

    def process(key: Any, value: tuple[Any, Any, int], timestamp: int, headers: Headers) -> None:
        left, right, version = value
        if newest.get(key, version) > version:
            return
        newest[key] = version
        new = None if left is None or (right is None and not keeps_left) else joined(key, left, right)
        row = old_of(key)
        emit(key, new, None if row is None else row[0], timestamp, headers)

    return process


def _no_row(_key: Any) -> None:
    return None
