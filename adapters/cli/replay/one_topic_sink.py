"""A sink that keeps the order of records across topics: it writes all of them to one topic, with their own topic in a header."""

from collections.abc import Sequence
from typing import ClassVar

from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import EventSink, SinkRecord

_HEADER = "replay-topic"


class OneTopicSink(EventSink):
    """Writes to the topic TOPIC of another sink; the topic has a partition for each case."""

    TOPIC: ClassVar[str] = "output"

    def __init__(self, sink: EventSink, partitions: int) -> None:
        self._sink = sink
        self._sink.create_topic(self.TOPIC, partitions)

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        """Do nothing: no other topic is needed."""

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        return self._sink.write(writer, slot, batch, [self._redirected(record) for record in records])

    def _redirected(self, record: SinkRecord) -> SinkRecord:
        return record._replace(topic=self.TOPIC, headers=((_HEADER, record.topic.encode()), *record.headers))


def original_topic(headers: Headers) -> tuple[str, Headers]:
    """Return the topic that a record was written to, and the record's own headers."""
    (_, topic), *own = headers
    return (topic or b"").decode(), tuple(own)
