"""The instances of an application as a consumer group: Kafka assigns the partitions, the client ids are the addresses."""

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.factory import new_consumer
from eddyline.adapters.kafka.clients.logs import LOGGER
from eddyline.adapters.kafka.errors import BrokerError
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.instance_group import InstanceGroup

SESSION_TIMEOUT_MS: Final = 10_000
_DEFAULTS: Final = {"session.timeout.ms": str(SESSION_TIMEOUT_MS), "topic.metadata.refresh.interval.ms": "2000"}
_RANGE: Final = {"partition.assignment.strategy": "range"}
"""Gives an instance the partitions of equal numbers of all topics, and so all stores of a task, as Kafka Streams does."""

_POLL_S: Final = 0.2
_DESCRIBE_S: Final = 1.0


class KafkaInstanceGroup(InstanceGroup):
    """A consumer group whose members read nothing: they are members for the sake of the assignment alone.

    An instance that dies loses its partitions when its session times out, after `session.timeout.ms` (default here: 10 s).

    Args:
        settings: Settings of the clients.
        group: The group id.
    """

    def __init__(self, settings: KafkaSettings, group: str) -> None:
        self._settings, self._group = settings, group
        self._host = ""
        self._held: frozenset[TopicPartition] | None = None
        self._members: Mapping[str, Collection[TopicPartition]] = {}
        self._changed = threading.Event()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, host: str, topics: Sequence[str]) -> None:
        self._host = host
        self._stopping.clear()
        consumer = new_consumer(self._settings, self._group, defaults=_DEFAULTS, fixed={**_RANGE, "client.id": host})
        consumer.subscribe(list(topics), on_assign=self._assigned, on_revoke=_revoked, on_lost=self._lost)
        self._threads = [
            threading.Thread(target=self._poll, args=[consumer], name="instance-group", daemon=True),
            threading.Thread(target=self._describe, name="instances", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def held(self) -> Collection[TopicPartition] | None:
        return self._held

    def members(self) -> Mapping[str, Collection[TopicPartition]]:
        held = self._held
        return self._members if held is None else {**self._members, self._host: held}

    def close(self) -> None:
        self._stopping.set()
        self._changed.set()
        for thread in self._threads:
            thread.join()
        self._threads, self._held, self._members = [], None, {}

    def _poll(self, consumer: Consumer) -> None:
        """Stay a member: topics that do not exist yet are reported as errors, which pass when they do."""
        reported = ""
        while not self._stopping.is_set():
            message = consumer.poll(_POLL_S)
            error = None if message is None else message.error()
            if error is not None and error.name() != "UNKNOWN_TOPIC_OR_PART" and error.str() != reported:
                reported = error.str()
                LOGGER.warning("group %r: %s", self._group, self._settings.redact(reported))
        consumer.unsubscribe()
        consumer.close()

    def _describe(self) -> None:
        groups = ConsumerGroups(self._settings)
        while not self._stopping.is_set():
            try:
                found = groups.assignments(self._group)
            except BrokerError as error:
                LOGGER.warning("cannot describe the instances of group %r: %s", self._group, error)
            else:
                if found is not None:
                    self._members = found
            self._changed.wait(_DESCRIBE_S)
            self._changed.clear()

    def _assigned(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        consumer.assign(partitions)
        if partitions:
            consumer.pause(partitions)
        self._held = frozenset(TopicPartition(found.topic, found.partition) for found in partitions)
        LOGGER.info("group %r: this instance holds %d partitions", self._group, len(self._held))
        self._changed.set()

    def _lost(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        del partitions
        consumer.unassign()
        self._held = None


def _revoked(consumer: Consumer, partitions: list[ClientPartition]) -> None:
    """Keep what was held until the next assignment, which follows at once: the others get none of it before."""
    del partitions
    consumer.unassign()
