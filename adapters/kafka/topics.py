"""Topics of a Kafka cluster: which there are, how many partitions they have, making and removing them."""

import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._metadata import ClusterMetadata
from confluent_kafka.cimpl import NewPartitions, NewTopic

from eddyline.adapters.kafka.clients import as_broker_error, broker_errors, new_admin
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import UnknownTopicError

_SHOWN = 8
_PAUSE_S = 0.01
_NEWS_S = 0.1
_EXISTS = "TOPIC_ALREADY_EXISTS"
_UNKNOWN = "UNKNOWN_TOPIC_OR_PART"
_INVALID_PARTITIONS = "INVALID_PARTITIONS"
ANY_EVENT_TIME = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**63 - 1)}
"""Kafka deletes records by their own timestamps, and refuses those that lie an hour ahead: both goes by the brokers' clock."""


class Topics:
    """Asks and changes the topics of one cluster. All methods raise BrokerError when the cluster refuses or does not answer."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._admin = new_admin(settings)
        self._patience = {"operation_timeout": settings.request_timeout_s, "request_timeout": settings.request_timeout_s}

    def create(self, topic: str, partitions: int, *, replication: int = -1, config: Mapping[str, str] | None = None) -> bool:
        """Makes the topic and waits until it can be used; False when it existed before, which leaves it as it is.

        `replication` -1 is the brokers' default. `config` holds settings of the topic by Kafka's names; unless it says
        otherwise, records are kept for ever and their timestamps may be any.
        """
        if partitions < 1:
            raise ValueError(f"topic '{topic}' cannot have {partitions} partitions; it needs 1 or more")
        wanted = NewTopic(
            topic, num_partitions=partitions, replication_factor=replication, config={**ANY_EVENT_TIME, **(config or {})}
        )
        try:
            self._admin.create_topics([wanted], **self._patience)[topic].result()
        except KafkaException as error:
            if error.args[0].name() == _EXISTS:
                self._wait_for(topic, 1)
                return False
            raise as_broker_error(self._settings, f"create topic {topic!r} with {partitions} partitions", error) from None
        self._wait_for(topic, partitions)
        return True

    def ensure_partitions(self, topic: str, partitions: int) -> None:
        """Makes the topic with that many partitions, or adds to an existing one what it lacks."""
        if self.create(topic, partitions) or self.partitions(topic) >= partitions:
            return
        try:
            self._admin.create_partitions([NewPartitions(topic, partitions)], **self._patience)[topic].result()
        except KafkaException as error:
            someone_else_was_faster = error.args[0].name() == _INVALID_PARTITIONS and self.partitions(topic) >= partitions
            if not someone_else_was_faster:
                raise as_broker_error(self._settings, f"give topic {topic!r} {partitions} partitions", error) from None
        self._wait_for(topic, partitions)

    def delete(self, topic: str) -> bool:
        """Removes the topic with all its records; False when there was none."""
        try:
            self._admin.delete_topics([topic], **self._patience)[topic].result()
        except KafkaException as error:
            if error.args[0].name() == _UNKNOWN:
                return False
            raise as_broker_error(self._settings, f"delete topic {topic!r}", error) from None
        self._wait_for(topic, 0)
        return True

    def delete_records(self, topic: str, before: Mapping[int, int]) -> None:
        """Removes the records of each partition that lie before the offset given for it; OFFSET_END stands for all of them."""
        places = [TopicPartition(topic, partition, offset) for partition, offset in before.items()]
        with broker_errors(self._settings, f"delete records of topic {topic!r}"):
            for future in self._admin.delete_records(places).values():
                future.result()

    def _wait_for(self, topic: str, partitions: int) -> None:
        """Brokers hear of a change a moment after the controller has made it."""
        deadline = time.monotonic() + self._settings.request_timeout_s
        while time.monotonic() < deadline:
            found = self._ready_partitions(topic)
            if found >= partitions if partitions else found == 0:
                return
            time.sleep(_PAUSE_S)
        raise BrokerUnavailableError(f"topic {topic!r} did not come to {partitions} partitions in time; are all brokers up?")

    def _ready_partitions(self, topic: str) -> int:
        with broker_errors(self._settings, f"ask for topic {topic!r}"):
            found = self._admin.list_topics(topic, timeout=self._settings.request_timeout_s).topics[topic]
        return sum(partition.leader >= 0 for partition in found.partitions.values())

    def names(self) -> Sequence[str]:
        """All topics but the brokers' own, sorted."""
        return topic_names(self._settings, self._admin)

    def partitions(self, topic: str) -> int:
        """How many partitions the topic has now. Raises UnknownTopicError."""
        return partition_count(self._settings, self._admin, topic)

    def replicas(self, topic: str) -> int:
        """How many brokers keep each partition of the topic. Raises UnknownTopicError."""
        partition_count(self._settings, self._admin, topic)
        with broker_errors(self._settings, f"ask for topic {topic!r}"):
            found = self._admin.list_topics(topic, timeout=self._settings.request_timeout_s).topics[topic]
        return max(len(partition.replicas) for partition in found.partitions.values())


def topic_names(settings: KafkaSettings, client: AdminClient | Consumer) -> Sequence[str]:
    """All topics but the brokers' own (their names begin with `__`), sorted."""
    with broker_errors(settings, "list the topics"):
        found = _metadata(settings, client).topics
    return sorted(name for name in found if not name.startswith("__"))


def partition_count(settings: KafkaSettings, client: AdminClient | Consumer, topic: str) -> int:
    """How many partitions the topic has now. Raises UnknownTopicError."""
    with broker_errors(settings, f"ask for topic {topic!r}"):
        found = _metadata(settings, client, topic).topics[topic]
        if found.error is not None and found.error.name() != _UNKNOWN:
            raise KafkaException(found.error)
    if found.error is not None:
        raise unknown_topic(topic, topic_names(settings, client))
    return len(found.partitions)


def _metadata(settings: KafkaSettings, client: AdminClient | Consumer, topic: str | None = None) -> ClusterMetadata:
    """What the client knows of the cluster; where it knows nothing, it is given the time to tell why."""
    try:
        return client.list_topics(topic, timeout=settings.request_timeout_s)
    except KafkaException:
        client.poll(_NEWS_S)
        raise


def unknown_topic(topic: str, existing: Sequence[str]) -> UnknownTopicError:
    """The error that names the topic, the most similar ones there are, and the cure."""
    near = get_close_matches(topic, existing, _SHOWN, cutoff=0.0) if len(existing) > _SHOWN else existing
    there = f"{', '.join(near)}{' …' if len(near) < len(existing) else ''}" if existing else "none"
    return UnknownTopicError(f"topic {topic!r} is unknown; Kafka has: {there}. Create it, or let it be created (--create-topics)")
