"""Combines the records of each key into partial aggregates, before they are repartitioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.cached_aggregate import adding
from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.context import DropReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, ProcessMany, StreamForward
    from eddyline.application.topology.nodes import CombineNode
    from eddyline.application.topology.records import Headers


def combine(node: CombineNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Add each record to the partial aggregate of its key; forward the partial aggregates at the commit.

    A partial aggregate has the greatest timestamp of its records and the headers of the last one. Records with a null key are
    discarded, as they are before every repartition; those with a null value are dropped, as by the aggregation.
    """
    initializer, adder, with_key, drop = node.fold.initial, node.fold.add, node.fold.with_key, context.drop
    partials: dict[Any, list[Any]] = {}

    def begin(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            return
        if value is None:
            drop(node.aggregation, DropReason.NULL_VALUE, key, value, timestamp, headers)
            return
        aggregate, newest, _ = partials.get(key) or (initializer(), timestamp, headers)
        new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
        partials[key] = [new, max(newest, timestamp), headers]

    def commit() -> None:
        taken = list(partials.items())
        partials.clear()
        for key, (aggregate, timestamp, headers) in taken:
            forward(key, aggregate, timestamp, headers)

    return collecting(node, context, adding(node, partials, begin), commit, partials.clear)


def collecting(
    node: CombineNode, context: OperatorContext, collect: ProcessMany, flush: Callable[[], None], discard: Callable[[], None]
) -> StreamForward:
    """Register what collects records; return what does so with one record.

    What is collected is flushed at the commit; if records may be undone, after each batch, or discarded with it.
    """
    undo, process_all = context.undo, collect
    if undo is None:
        context.on_commit(flush)
    else:

        def process_all(records: RecordColumns) -> None:
            undo.append(discard)
            collect(records)
            flush()

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        process_all(RecordColumns((key,), (value,), (timestamp,), (headers,)))

    context.process_many(node.name, process_all)
    return process
