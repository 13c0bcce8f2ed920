"""Writes to topics and repartition topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.output import Output, output_of
from eddyline.application.topology.records import RecordContext

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import RepartitionSinkNode, SinkNode
    from eddyline.application.topology.records import Headers


def sink(node: SinkNode, context: OperatorContext, _forward: StreamForward) -> StreamForward:
    """Write each record to the topic, or to the topic that the node's function returns."""
    append = context.output.append
    topic = node.topic
    if isinstance(topic, str):
        fixed_topic = topic

        def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
            append(output_of((fixed_topic, key, value, timestamp, headers, node)))

        return process
    choose = topic

    def process_chosen(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        append(Output(choose(key, value), key, value, timestamp, headers, node))

    def process_chosen_with_context(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        metadata = context.metadata
        topic, partition, offset = (None, -1, -1) if metadata is None else metadata[:3]
        record_context = RecordContext(topic, partition, offset, timestamp, headers)
        append(Output(choose(key, value, record_context), key, value, timestamp, headers, node))

    return process_chosen_with_context if node.with_context else process_chosen


def repartition_sink(node: RepartitionSinkNode, context: OperatorContext, _forward: StreamForward) -> StreamForward:
    """Write each record with a key to the internal topic; records with a null key only if the node accepts them."""
    append, topic, null_keys = context.output.append, node.topic, node.null_keys

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is not None or null_keys:
            append(Output(topic, key, value, timestamp, headers, node))

    return process
