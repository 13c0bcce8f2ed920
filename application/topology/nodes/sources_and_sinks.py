"""Nodes that read from and write to topics."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

from eddyline.application.topology.nodes.node import Node
from eddyline.application.topology.timestamps import TimestampExtractor

Partitioner: TypeAlias = Callable[[Any, Any, int], int | Collection[int] | None]
"""Returns the partition, or the partitions, for key, value and number of partitions (KIP-837).

None leaves the choice to the default partitioner. The record is dropped if there are no partitions.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNode(Node):
    """Reads a topic, or all topics that match a pattern; then `topic` is the text of the pattern between slashes.

    `timestamp_extractor` returns the event time of a record; without it the timestamp of the log is used. `repartition` marks
    internal topics, `global_` the topics of global tables, which every task reads in full. After `idle_timeout_ms` without a
    record, stream time follows the wall clock; None for event time only.
    """

    topic: str
    pattern: re.Pattern[str] | None = None
    timestamp_extractor: TimestampExtractor | None = None
    repartition: bool = False
    global_: bool = False
    idle_timeout_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkNode(Node):
    """Writes to a topic, or to the topic that a function returns.

    The function takes (key, value), or (key, value, `RecordContext`) with `with_context`.
    """

    topic: str | Callable[..., str]
    with_context: bool = False
    partitioner: Partitioner | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepartitionSinkNode(Node):
    """Writes to an internal topic, partitioned by key unless a `partitioner` chooses the partitions.

    `partitions` is the number of its partitions, None to derive it. Records with a null key are discarded, unless `null_keys`
    is set: then they go to any partition.
    """

    topic: str
    partitions: int | None = None
    null_keys: bool = False
    partitioner: Partitioner | None = None
