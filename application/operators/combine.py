"""Combines the records of each key into partial aggregates, before they are repartitioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.context import DropReason

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import CombineNode
    from eddyline.application.topology.records import Headers


def combine(node: CombineNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Add each record to the partial aggregate of its key; forward the partial aggregates at the commit.

    A partial aggregate has the greatest timestamp of its records and the headers of the last one. Records with a null key are
    discarded, as they are before every repartition; those with a null value are dropped, as by the aggregation.
    """
    initializer, adder, with_key, drop = node.initializer, node.adder, node.with_key, context.drop
    partials: dict[Any, tuple[Any, int, Headers]] = {}
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
        else:
            aggregate = partial[0]
            if partial[1] > timestamp:
                timestamp = partial[1]
        new = adder(key, aggregate, value) if with_key else adder(aggregate, value)
        partials[key] = (new, timestamp, headers)

    def commit() -> None:
        taken = list(partials.items())
        partials.clear()
        for key, (aggregate, timestamp, headers) in taken:
            forward(key, aggregate, timestamp, headers)

    context.on_commit(commit)
    return process
