"""The place of the Kafka adapters: a broker that is swept before each test."""

import time

from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import EventSink
from tests.ports.environments import Environment

_SETTLED_WITHIN_S = 30.0


class KafkaPlace(Environment):
    """Kafka's client takes time 0 for `now`, and ends names at a NUL."""

    earliest = 1
    unnameable = "\0"

    def __init__(self, bootstrap_servers: str) -> None:
        super().__init__()
        self._settings = KafkaSettings({"bootstrap.servers": bootstrap_servers})
        self.close()
        self._sweep()

    def log(self) -> EventLog:
        return _SettledLog(self._settings)

    def sink(self) -> EventSink:
        return KafkaEventSink(self._settings)

    def close(self) -> None:
        self.sink().close()
        self.log().close()

    def _sweep(self) -> None:
        topics = Topics(self._settings)
        for topic in topics.names():
            topics.delete(topic)
        admin = AdminClient({**self._settings.admin()})
        groups = [group.group_id for group in admin.list_consumer_groups().result().valid]
        for deleted in admin.delete_consumer_groups(groups).values() if groups else ():
            deleted.result()


class _SettledLog(KafkaEventLog):
    """Ends only where everything that was committed ends: readers see it some milliseconds after the writer."""

    def end_offset(self, topic: str, partition: int) -> int:
        everything = KafkaEventLog(KafkaSettings({**self._settings.consumer(), "isolation.level": "read_uncommitted"}))
        last = everything.end_offset(topic, partition)
        deadline = time.monotonic() + _SETTLED_WITHIN_S
        while (end := super().end_offset(topic, partition)) < last:
            assert time.monotonic() < deadline, f"topic {topic!r} does not settle"
            time.sleep(0.005)
        return end
