"""Topics that a run writes are created before the first record is written to them."""

from collections.abc import Iterable

from eddyline.application.ports.event_sink import EventSink


class TopicCreator:
    """Creates topics through the sink and remembers which ones it has asked for; existing topics stay as they are."""

    def __init__(self, sink: EventSink, partitions: int) -> None:
        self._sink, self._partitions = sink, partitions
        self._created: set[str] = set()

    def ensure(self, topics: Iterable[str]) -> None:
        """Create those of the topics that do not exist."""
        for topic in topics:
            if topic not in self._created:
                self._sink.create_topic(topic, self._partitions)
                self._created.add(topic)
