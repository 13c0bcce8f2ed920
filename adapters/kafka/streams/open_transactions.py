"""Finds out whether transactions are open in a partition."""

from typing import Final

from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.factory import READER_GROUP, new_consumer
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import TopicPartition

_LEVELS: Final = ("read_committed", "read_uncommitted")


class OpenTransactions:
    """Compares the ends of partitions with and without the records of open transactions.

    Args:
        settings: Settings of the consumers.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._consumers = [new_consumer(settings, READER_GROUP, fixed={"isolation.level": level}) for level in _LEVELS]

    def exist_in(self, partition: TopicPartition) -> bool:
        """Return whether a partition has records of an open transaction."""
        at, timeout_s = ClientPartition(*partition), self._settings.request_timeout_s
        with broker_errors(self._settings, "list the offsets of changelogs"):
            (_, stable), (_, latest) = (consumer.get_watermark_offsets(at, timeout=timeout_s) for consumer in self._consumers)
        return stable < latest

    def close(self) -> None:
        """Close the consumers."""
        for consumer in self._consumers:
            consumer.close()
