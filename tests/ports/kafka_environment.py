"""An event log and an event sink on Kafka, with a broker whose topics and groups are deleted before each test."""

import time
from collections.abc import Iterable

from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import EventSink
from tests.ports.environments import Environment

_SETTLING_TIMEOUT_S = 120.0


class KafkaEnvironment(Environment):
    """The client takes the timestamp 0 for the current time, and ends header names at a NUL character."""

    earliest = 1
    unnameable = "\0"

    def __init__(self, bootstrap_servers: str) -> None:
        super().__init__()
        self._settings = KafkaSettings({"bootstrap.servers": bootstrap_servers})
        self.close()
        self._delete_topics_and_groups()

    def log(self) -> EventLog:
        return _SettledLog(self._settings)

    def sink(self) -> EventSink:
        return KafkaEventSink(self._settings)

    def delete_topic(self, topic: str) -> None:
        Topics(self._settings).delete(topic)

    def add_partitions(self, topic: str, partitions: int) -> None:
        Topics(self._settings).ensure_partitions(topic, partitions)

    def close(self) -> None:
        self.sink().close()
        self.log().close()

    def _delete_topics_and_groups(self) -> None:
        topics = Topics(self._settings)
        for topic in topics.names():
            topics.delete(topic)
        admin = AdminClient({**self._settings.admin()})
        groups = [group.group_id for group in admin.list_consumer_groups().result().valid]
        for deleted in admin.delete_consumer_groups(groups).values() if groups else ():
            deleted.result()


class _SettledLog(KafkaEventLog):
    """A log whose end offset waits until all committed records are visible: they become so shortly after the commit."""

    def end_offset(self, topic: str, partition: int) -> int:
        uncommitted = KafkaEventLog(KafkaSettings({**self._settings.consumer(), "isolation.level": "read_uncommitted"}))
        high_watermark = uncommitted.end_offset(topic, partition)
        deadline = time.monotonic() + _SETTLING_TIMEOUT_S
        while (end := super().end_offset(topic, partition)) < high_watermark:
            assert time.monotonic() < deadline, f"a transaction on topic {topic!r} is still open"
            time.sleep(0.005)
        return end

    def topic_bounds(self, topics: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        names = list(topics)
        for topic in names:
            for partition in range(self.partitions(topic)):
                self.end_offset(topic, partition)
        return super().topic_bounds(names)
