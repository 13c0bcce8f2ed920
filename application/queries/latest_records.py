"""The latest records of the topics that a flow reads and writes, decoded."""

from collections.abc import Sequence
from heapq import nlargest
from typing import Any, NamedTuple

from eddyline.application.ports.codec import CodecError, Codecs
from eddyline.application.ports.event_log import EventLog, LogRecord, Position, UnknownTopicError
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.topology import Topology


class TopicRecord(NamedTuple):
    """A record of a topic.

    Attributes:
        position: Where it is.
        timestamp: Its timestamp in ms since the epoch.
        key: The decoded key; its bytes if `error` is set.
        value: The decoded value; its bytes if `error` is set.
        error: Why it cannot be decoded, None if it can.
    """

    position: Position
    timestamp: int
    key: Any
    value: Any
    error: str | None = None


class LatestRecords:
    """The ends of topics.

    Args:
        log: The event log.
        codecs: The codecs of the flow.
        topology: The topology, which knows the types of its topics.
    """

    def __init__(self, log: EventLog, codecs: Codecs, topology: Topology) -> None:
        self._log, self._codecs = log, codecs.configured(topology.type_choices)
        self._types = {
            spec.name: (codec_type(spec.key_type), codec_type(spec.value_type))
            for spec in (*topology.source_topics, *topology.sink_topics)
        }
        self.written = tuple(spec.name for spec in topology.sink_topics)
        self.read = tuple(spec.name for spec in topology.source_topics)

    def sizes(self) -> dict[str, int]:
        """Return the number of offsets that each existing topic has, by topic: first those that are written."""
        existing = set(self._log.topics())
        return {
            topic: sum(end - begin for begin, end in self._bounds(topic)) for topic in self._types_in_order() if topic in existing
        }

    def latest(self, topic: str, limit: int) -> Sequence[TopicRecord]:
        """Return the latest records of a topic, the last first; none if it does not exist.

        Partitions are merged by timestamp.
        """
        found = []
        for partition, (begin, end) in enumerate(self._bounds(topic)):
            start = max(begin, end - limit)
            found += [record for batch in self._log.read(topic, partition, start, end) for record in batch]
        last = nlargest(limit, found, key=lambda record: (record.timestamp, record.offset, record.partition))
        return [self._decoded(record) for record in last]

    def _types_in_order(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self.written, *self.read)))

    def _bounds(self, topic: str) -> Sequence[tuple[int, int]]:
        try:
            return self._log.topic_bounds([topic])[topic]
        except UnknownTopicError:
            return ()

    def _decoded(self, record: LogRecord) -> TopicRecord:
        position = Position(record.topic, record.partition, record.offset)
        if record.error is not None:
            return TopicRecord(position, record.timestamp, record.key, record.value, record.error)
        key_type, value_type = self._types.get(record.topic, (Any, Any))
        try:
            key = self._codecs.for_key(record.topic, key_type).decode(record.key, record.headers)
            value = self._codecs.for_value(record.topic, value_type).decode(record.value, record.headers)
        except CodecError as error:
            return TopicRecord(position, record.timestamp, record.key, record.value, str(error))
        return TopicRecord(position, record.timestamp, key, value)
