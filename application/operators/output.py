"""The output of a task, and the records that it drops."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from eddyline.application.topology.nodes import RepartitionSinkNode, SinkNode
from eddyline.application.topology.records import Headers, RecordMetadata


class Output(NamedTuple):
    """A record that a task writes to a topic; `timestamp` in ms since the epoch, `sink` the node that writes it."""

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
    """A dropped record: the name of the node that dropped it, the reason, and the position that it was read from."""

    node: str
    reason: str
    key: Any
    value: Any
    timestamp: int
    headers: Headers
    source: RecordMetadata | None
