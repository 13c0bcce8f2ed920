"""What operators do with the updates of versioned tables, which may be out of order (KIP-914).

An update is out of order if its key has a version with a greater timestamp. Tables that are derived from a versioned one forward
it; operators that combine the latest rows of tables skip it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import DropReason

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, TableForward
    from eddyline.application.topology.records import Headers


def put_version_and_emit(node: str, store: str, context: OperatorContext, forward: TableForward) -> TableForward:
    """Return a function that puts each update of a node into its versioned store and forwards it at once.

    Updates that are older than the history of the store are dropped. They are never cached, as in Kafka Streams.
    """
    put, drop = context.store(store).put, context.drop

    def process(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        if put(key, new, timestamp):
            forward(key, new, old, timestamp, headers)
        else:
            drop(node, DropReason.EXPIRED, key, new, timestamp, headers)

    return process


def latest_only(
    node: str, versioned_store: str | None, context: OperatorContext, process: TableForward, *, drops: bool = True
) -> TableForward:
    """Return `process` for the updates of a table, without those that are out of order if the table is versioned.

    With `drops` they count as dropped records.
    """
    if versioned_store is None:
        return process
    is_latest, drop = context.store(versioned_store).is_latest, context.drop

    def process_latest(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        if is_latest(key, timestamp):
            process(key, new, old, timestamp, headers)
        elif drops:
            drop(node, DropReason.OUT_OF_ORDER, key, new, timestamp, headers)

    return process_latest
