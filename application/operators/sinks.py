"""Writes to topics and repartition topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.output import Output, output_of
from eddyline.application.topology.callables import NO_RESULTS, refuse
from eddyline.application.topology.immutable import is_immutable, own_copy
from eddyline.application.topology.records import RecordContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import RepartitionSinkNode, SinkNode
    from eddyline.application.topology.records import Headers


def sink(node: SinkNode, context: OperatorContext, _forward: StreamForward) -> StreamForward:
    """Write each record to the topic, or to the topic that the node's function returns."""
    append = _append(node, context)
    topic = node.topic
    if isinstance(topic, str):
        fixed_topic = topic

        def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
            append(output_of((fixed_topic, key, value, timestamp, headers, node)))

        return process
    choose = topic

    def process_chosen(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        append(Output(_named(choose(key, value), node), key, value, timestamp, headers, node))

    def process_chosen_with_context(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        metadata = context.metadata
        topic, partition, offset = (None, -1, -1) if metadata is None else metadata[:3]
        record_context = RecordContext(topic, partition, offset, timestamp, headers)
        append(Output(_named(choose(key, value, record_context), node), key, value, timestamp, headers, node))

    return process_chosen_with_context if node.with_context else process_chosen


def repartition_sink(node: RepartitionSinkNode, context: OperatorContext, _forward: StreamForward) -> StreamForward:
    """Write each record with a key to the internal topic; records with a null key only if the node accepts them."""
    append, topic, null_keys = _append(node, context), node.topic, node.null_keys

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is not None or null_keys:
            append(Output(topic, key, value, timestamp, headers, node))

    return process


def _named(topic: Any, node: SinkNode) -> str:
    """Return the topic that the function of a sink returned.

    Raises:
        TypeError: If it is no text.
    """
    if isinstance(topic, str):
        return topic
    if type(topic) in NO_RESULTS:
        refuse(topic, "a topic function")
    msg = f"the topic function of operator '{node.name}' returned {topic!r}; return the name of the topic as a str"
    raise TypeError(msg)


def _append(node: SinkNode | RepartitionSinkNode, context: OperatorContext) -> Callable[[Output], None]:
    """Return the function that adds to the output, which is encoded later: values that can be changed until then are copied."""
    append = context.output.append
    if is_immutable(node.value_type):
        return append

    def append_copy(output: Output) -> None:
        topic, key, value, timestamp, headers, sink_node = output
        append(output_of((topic, key, own_copy(value), timestamp, headers, sink_node)))

    return append_copy
