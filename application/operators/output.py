"""The output of a task, and the records that it drops."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from eddyline.application.topology.nodes import RepartitionSinkNode, SinkNode
from eddyline.application.topology.records import Headers, RecordMetadata


class Output(NamedTuple):
    """A record that a task writes to a topic.

    Attributes:
        topic: The topic.
        key: The key; a `Windowed` if the stream comes from a windowed table.
        value: The value, None for a tombstone.
        timestamp: The event time in ms since the epoch.
        headers: The headers in order, pairs of a name and bytes or None.
        sink: The node that writes the record.
    """

    topic: str
    key: Any
    value: Any
    timestamp: int
    headers: Headers
    sink: SinkNode | RepartitionSinkNode

    @property
    def internal(self) -> bool:
        """Whether the topic is a repartition topic of the topology."""
        return isinstance(self.sink, RepartitionSinkNode)


output_of: Callable[[Iterable[Any]], Output] = partial(tuple.__new__, Output)
"""Creates an `Output` from its fields, in half the time that calling the class takes."""


class Dropped(NamedTuple):
    """A record that an operator dropped.

    Attributes:
        node: The name of the node that dropped it.
        reason: Why it was dropped: `late`, `no-window`, `null-key`, `null-value`, `null-join-key`,
            `no-partition`, `invalid-timestamp` or `undecodable`.
        key: The key.
        value: The value.
        timestamp: The event time in ms since the epoch.
        headers: The headers in order, pairs of a name and bytes or None.
        source: The position of the record that the task was processing, None during punctuation and commit.
    """

    node: str
    reason: str
    key: Any
    value: Any
    timestamp: int
    headers: Headers
    source: RecordMetadata | None
