"""The event log as the hosts of tasks see it: records come from the feed, everything else from the log itself."""

from collections.abc import Iterable, Iterator, Sequence

from eddyline.application.ports.event_log import EventLog, LogIdentity, LogRecord
from eddyline.application.ports.task_streams import Feed


class FeedLog(EventLog):
    """Reads through a feed."""

    def __init__(self, log: EventLog, feed: Feed) -> None:
        self._log, self._feed = log, feed

    def topics(self) -> Sequence[str]:
        return self._log.topics()

    def partitions(self, topic: str) -> int:
        return self._log.partitions(topic)

    def beginning_offset(self, topic: str, partition: int) -> int:
        return self._log.beginning_offset(topic, partition)

    def end_offset(self, topic: str, partition: int) -> int:
        return self._log.end_offset(topic, partition)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return self._log.bounds(topic, partition)

    def identity(self, topics: Iterable[str]) -> LogIdentity:
        return self._log.identity(topics)

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        return self._feed.read(topic, partition, start, end)
