"""A sink that keeps the order of records across topics: all go to one topic on files, each with its own topic in a header."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import EventSink, SinkRecord

_HEADER = "replay-topic"


class OneTopicSink(EventSink):
    """Writes to the topic TOPIC under the folder, which has as many partitions as there are cases."""

    TOPIC: ClassVar[str] = "output"

    def __init__(self, folder: Path, partitions: int) -> None:
        self._sink = FileEventSink(folder)
        self._sink.create_topic(self.TOPIC, partitions)

    def create_topic(self, topic: str, partitions: int) -> None:
        """Nothing: no topic but the one is needed."""

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        return self._sink.write(writer, slot, batch, [self._moved(record) for record in records])

    def _moved(self, record: SinkRecord) -> SinkRecord:
        return record._replace(topic=self.TOPIC, headers=((_HEADER, record.topic.encode()), *record.headers))


def original_topic(headers: Headers) -> tuple[str, Headers]:
    """The topic that a record was given to, and its own headers."""
    (_, topic), *own = headers
    return (topic or b"").decode(), tuple(own)
