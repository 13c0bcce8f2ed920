"""The topics that a run writes are created once."""

from collections.abc import Sequence

from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.output.topics import TopicCreator


class CreatingSink(EventSink):
    """Lists the topics that it is asked to create."""

    def __init__(self) -> None:
        self.created: list[tuple[str, int]] = []
        self.compacted: list[tuple[str, int]] = []

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        (self.compacted if compacted else self.created).append((topic, partitions))

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        raise NotImplementedError


def test_each_topic_is_created_once_with_the_number_of_partitions() -> None:
    sink = CreatingSink()
    topics = TopicCreator(sink, 3)
    topics.ensure(["a", "b"])
    topics.ensure(["b", "c", "c"])
    assert sink.created == [("a", 3), ("b", 3), ("c", 3)]


def test_compacted_topics_have_partitions_of_their_own() -> None:
    sink = CreatingSink()
    topics = TopicCreator(sink, 3)
    topics.ensure_compacted({"a": 2, "b": 7})
    topics.ensure_compacted({"a": 2})
    topics.ensure(["a", "c"])
    assert (sink.compacted, sink.created) == ([("a", 2), ("b", 7)], [("c", 3)])


def test_a_topic_whose_creation_failed_is_created_the_next_time() -> None:
    class FailingOnce(CreatingSink):
        def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
            super().create_topic(topic, partitions, compacted=compacted)
            if len(self.created) == 1:
                raise ConnectionError

    sink = FailingOnce()
    topics = TopicCreator(sink, 1)
    try:
        topics.ensure(["a"])
    except ConnectionError:
        topics.ensure(["a"])
    assert sink.created == [("a", 1), ("a", 1)]
