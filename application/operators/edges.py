"""Where records leave a task: sinks and repartition topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.output import Output, output_of

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import RepartitionSinkNode, SinkNode
    from eddyline.application.topology.records import Headers


def sink(node: SinkNode, context: OperatorContext, _forward: StreamForward) -> StreamForward:
    """Gives each record to the topic, or to the one that the step's function names."""
    put = context.outbox.append
    topic = node.topic
    if isinstance(topic, str):
        named = topic

        def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
            put(output_of((named, key, value, timestamp, headers, node)))

        return process
    chosen = topic

    def process_chosen(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        put(Output(chosen(key, value), key, value, timestamp, headers, node))

    return process_chosen


def repartition_sink(node: RepartitionSinkNode, context: OperatorContext, _forward: StreamForward) -> StreamForward:
    """Gives each record that has a key to the internal topic; one without has no task to go to and ends here."""
    put, topic, null_keys = context.outbox.append, node.topic, node.null_keys

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if key is not None or null_keys:
            put(Output(topic, key, value, timestamp, headers, node))

    return process
