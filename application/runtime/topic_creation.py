"""Creates the topics that a run writes, each before its first record is written."""

from collections.abc import Iterable, Mapping

from eddyline.application.ports.event_sink import EventSink


class TopicCreator:
    """Creates topics through the event sink, each once; existing topics stay as they are."""

    def __init__(self, sink: EventSink, partitions: int) -> None:
        self._sink, self._partitions = sink, partitions
        self._created: set[str] = set()

    def ensure(self, topics: Iterable[str]) -> None:
        """Create those of the topics that do not exist yet."""
        for topic in topics:
            if topic not in self._created:
                self._sink.create_topic(topic, self._partitions)
                self._created.add(topic)

    def ensure_compacted(self, topics: Mapping[str, int]) -> None:
        """Create those of the topics that do not exist yet as compacted topics, with these numbers of partitions."""
        for topic, partitions in topics.items():
            if topic not in self._created:
                self._sink.create_topic(topic, partitions, compacted=True)
                self._created.add(topic)
