"""Finds out whether transactions are open in a partition."""

import time
from collections.abc import Collection
from typing import Final

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.factory import new_consumer
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import TopicPartition

_LEVELS: Final = ("read_committed", "read_uncommitted")
_WAIT_S: Final = 1.0
_POLL_S: Final = 0.02
_UNSTABLE: Final = {"UNSTABLE_OFFSET_COMMIT", "_TIMED_OUT"}
"""The client repeats its request until the offsets are stable, or until its timeout."""


class OpenTransactions:
    """Compares the ends of partitions with and without the records of open transactions, and reads the offsets of a group.

    Args:
        settings: Settings of the consumers.
        group: The group, of which these consumers are no members.
    """

    def __init__(self, settings: KafkaSettings, group: str) -> None:
        self._settings = settings
        self._consumers = [new_consumer(settings, group, fixed={"isolation.level": level}) for level in _LEVELS]

    def exist_in(self, partition: TopicPartition) -> bool:
        """Return whether a partition has records of an open transaction."""
        at, timeout_s = ClientPartition(*partition), self._settings.request_timeout_s
        with broker_errors(self._settings, "list the offsets of changelogs"):
            (_, stable), (_, latest) = (consumer.get_watermark_offsets(at, timeout=timeout_s) for consumer in self._consumers)
        return stable < latest

    def wait(self, partition: TopicPartition) -> None:
        """Wait until what a partition has now is committed and visible, or aborted."""
        at, timeout_s = ClientPartition(*partition), self._settings.request_timeout_s
        committed, uncommitted = self._consumers
        with broker_errors(self._settings, "list the offsets of the application"):
            _, latest = uncommitted.get_watermark_offsets(at, timeout=timeout_s)
            while committed.get_watermark_offsets(at, timeout=timeout_s)[1] < latest:
                time.sleep(_POLL_S)

    def have_offsets_of(self, partitions: Collection[TopicPartition]) -> bool:
        """Return whether an open transaction has offsets of the group for one of these partitions, or may have.

        A transaction that has none yet cannot get any: the brokers refuse the offsets of a process whose tasks have moved.
        """
        with broker_errors(self._settings, "read the offsets of the application"):
            try:
                found = self._consumers[0].committed([ClientPartition(*each) for each in partitions], timeout=_WAIT_S)
            except KafkaException as error:
                if error.args[0].name() in _UNSTABLE:
                    return True
                raise
            errors: list[KafkaError] = [each.error for each in found if each.error is not None]
            for each in errors:
                if each.name() not in _UNSTABLE:
                    raise KafkaException(each)
        return bool(errors)

    def close(self) -> None:
        """Close the consumers."""
        for consumer in self._consumers:
            consumer.close()
