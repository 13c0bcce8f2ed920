"""Combines the records of each key into partial aggregates, before they are repartitioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.context import DropReason
from eddyline.application.topology.aggregations.count_and_reduce import increment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.operators.context import OperatorContext, ProcessMany, StreamForward
    from eddyline.application.topology.nodes import CombineNode
    from eddyline.application.topology.records import Headers


def combine(node: CombineNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Add each record to the partial aggregate of its key; forward the partial aggregates at the commit.

    A partial aggregate has the greatest timestamp of its records and the headers of the last one. Records with a null key are
    discarded, as they are before every repartition; those with a null value are dropped, as by the aggregation.
    """
    initializer, adder, with_key, drop = node.initializer, node.adder, node.with_key, context.drop
    partials: dict[Any, list[Any]] = {}
    get = partials.get

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is None:
            return
        if value is None:
            drop(node.aggregation, DropReason.NULL_VALUE, key, value, timestamp, headers)
            return
        partial = get(key)
        if partial is None:
            aggregate = initializer()
            partials[key] = [adder(key, aggregate, value) if with_key else adder(aggregate, value), timestamp, headers]
            return
        aggregate = partial[0]
        partial[0] = adder(key, aggregate, value) if with_key else adder(aggregate, value)
        if timestamp > partial[1]:
            partial[1] = timestamp
        partial[2] = headers

    def commit() -> None:
        taken = list(partials.items())
        partials.clear()
        for key, (aggregate, timestamp, headers) in taken:
            forward(key, aggregate, timestamp, headers)

    counts = adder is increment and not with_key
    add_all = _counting(partials, process) if counts else _adding(node, partials, process)
    return collecting(node, context, add_all, commit, partials.clear)


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


def _adding(node: CombineNode, partials: Mapping[Any, list[Any]], process: StreamForward) -> ProcessMany:
    """Return a function that adds many records to partial aggregates; `process` begins those that do not exist."""
    adder, with_key, get = node.adder, node.with_key, partials.get

    def process_all(records: RecordColumns) -> None:
        for key, value, timestamp, headers in records.rows():
            partial = get(key)
            if partial is None or value is None:
                process(key, value, timestamp, headers)
                continue
            aggregate = partial[0]
            partial[0] = adder(key, aggregate, value) if with_key else adder(aggregate, value)
            if timestamp > partial[1]:
                partial[1] = timestamp
            partial[2] = headers

    return process_all


def _counting(partials: Mapping[Any, list[Any]], process: StreamForward) -> ProcessMany:
    """Return what `_adding` does for the adder of `count`, without calling it."""
    get = partials.get

    def process_all(records: RecordColumns) -> None:
        for key, value, timestamp, headers in records.rows():
            partial = get(key)
            if partial is None or value is None:
                process(key, value, timestamp, headers)
                continue
            partial[0] += 1
            if timestamp > partial[1]:
                partial[1] = timestamp
            partial[2] = headers

    return process_all
