"""Event sinks that list what is written."""

from collections.abc import Sequence

from eddyline.application.ports.event_sink import EventSink, RejectedRecordsError, SinkRecord


class ListSink(EventSink):
    """Lists the topics that are created, and the writes: writer, slot, batch, and topic and value of each record."""

    def __init__(self) -> None:
        self.created: list[str] = []
        self.writes: list[tuple[str, int, int, list[tuple[str, bytes | None]]]] = []

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        del partitions, compacted
        self.created.append(topic)

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        assert list(records) == list(records) == [records[index] for index in range(len(records))]
        self.writes.append((writer, slot, batch, [(record.topic, record.value) for record in records]))
        return True


class StrictSink(ListSink):
    """Rejects records of the topic `a` whose value is too long, one of them at each attempt."""

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        for record in records:
            if record.topic == "a" and len(record.value or b"") > 1:
                raise RejectedRecordsError("too long", {record[:3]: ValueError("too long")})
        return super().write(writer, slot, batch, records)
