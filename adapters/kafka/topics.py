"""Creates, extends, lists and deletes the topics of a Kafka cluster."""

import time
from collections.abc import Mapping, Sequence

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.cimpl import NewPartitions, NewTopic

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors
from eddyline.adapters.kafka.clients.deadline import Deadline, until_available
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.metadata import UNKNOWN_TOPIC, cluster_metadata, partition_count, topic_names
from eddyline.adapters.kafka.settings import KafkaSettings

_POLL_S = 0.01
_EXISTS = "TOPIC_ALREADY_EXISTS"
_INVALID_PARTITIONS = "INVALID_PARTITIONS"
ANY_EVENT_TIME = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**63 - 1)}
"""Topic settings for records of any event time: brokers compare timestamps with their wall-clock time, so by default they
delete records that are older than the retention time and reject those that are more than an hour ahead."""


class Topics:
    """The topics of one cluster. All methods raise BrokerError when the cluster rejects a request or does not answer."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._admin = new_admin(settings)
        self._timeouts = {"operation_timeout": settings.request_timeout_s, "request_timeout": settings.request_timeout_s}

    def create(self, topic: str, partitions: int, *, replication: int = -1, config: Mapping[str, str] | None = None) -> bool:
        """Create the topic and wait until it can be used; an existing topic is left as it is.

        Args:
            topic: The name.
            partitions: The number of partitions, at least 1.
            replication: The replication factor; -1 is the default of the brokers.
            config: Settings of the topic by Kafka's names. Unless they say otherwise, records are retained for ever and
                may have any timestamp.

        Returns:
            Whether the topic was created; False if it existed.
        """
        if partitions < 1:
            raise ValueError(f"topic '{topic}' cannot have {partitions} partitions; it needs 1 or more")
        new_topic = NewTopic(
            topic, num_partitions=partitions, replication_factor=replication, config={**ANY_EVENT_TIME, **(config or {})}
        )
        created = until_available(Deadline(self._settings.request_timeout_s), lambda: self._create(new_topic))
        self._wait_for_partitions(topic, partitions if created else 1)
        return created

    def _create(self, topic: NewTopic) -> bool:
        try:
            self._admin.create_topics([topic], **self._timeouts)[topic.topic].result()
        except KafkaException as error:
            if error.args[0].name() == _EXISTS:
                return False
            action = f"create topic {topic.topic!r} with {topic.num_partitions} partitions"
            raise as_broker_error(self._settings, action, error, self._admin) from None
        return True

    def ensure_partitions(self, topic: str, partitions: int) -> None:
        """Create the topic with this number of partitions, or add the missing ones to an existing topic."""
        if self.create(topic, partitions) or self.partitions(topic) >= partitions:
            return
        try:
            self._admin.create_partitions([NewPartitions(topic, partitions)], **self._timeouts)[topic].result()
        except KafkaException as error:
            refused = error.args[0].name() == _INVALID_PARTITIONS
            added_meanwhile = refused and self.partitions(topic, at_least=partitions) >= partitions
            if not added_meanwhile:
                action = f"increase the partitions of topic {topic!r} to {partitions}"
                raise as_broker_error(self._settings, action, error, self._admin) from None
        self._wait_for_partitions(topic, partitions)

    def delete(self, topic: str) -> bool:
        """Delete the topic and wait until it is gone; return False if it did not exist."""
        try:
            self._admin.delete_topics([topic], **self._timeouts)[topic].result()
        except KafkaException as error:
            if error.args[0].name() == UNKNOWN_TOPIC:
                return False
            raise as_broker_error(self._settings, f"delete topic {topic!r}", error, self._admin) from None
        self._wait_until_deleted(topic)
        return True

    def delete_records(self, topic: str, before: Mapping[int, int]) -> None:
        """Delete the records of each partition in `before` up to its offset, exclusive; OFFSET_END deletes all of them."""
        targets = [TopicPartition(topic, partition, offset) for partition, offset in before.items()]
        with broker_errors(self._settings, f"delete records of topic {topic!r}", self._admin):
            for future in self._admin.delete_records(targets, **self._timeouts).values():
                future.result()

    def names(self) -> Sequence[str]:
        """Return the names of all topics, sorted, without Kafka's internal ones."""
        return topic_names(self._settings, self._admin)

    def partitions(self, topic: str, at_least: int = 1) -> int:
        """Return how many partitions the topic has now; `at_least` as many if any broker knows them. Raises UnknownTopicError."""
        return partition_count(self._settings, self._admin, topic, at_least=at_least)

    def replication(self, topic: str) -> int:
        """Return the replication factor of the topic. Raises UnknownTopicError."""
        partition_count(self._settings, self._admin, topic)
        found = cluster_metadata(self._settings, self._admin, topic).topics[topic]
        return max(len(partition.replicas) for partition in found.partitions.values())

    def _wait_for_partitions(self, topic: str, wanted: int) -> None:
        """Wait until so many partitions have a leader: brokers learn of a change some time after the controller."""
        deadline = Deadline(self._settings.request_timeout_s)
        while (found := self._partitions_with_leader(topic)) < wanted:
            if deadline.has_passed():
                raise BrokerUnavailableError(
                    f"only {found} of the {wanted} partitions of topic {topic!r} have a leader after "
                    f"{self._settings.request_timeout_s:.0f} s; check that all brokers are running"
                )
            time.sleep(_POLL_S)

    def _wait_until_deleted(self, topic: str) -> None:
        deadline = Deadline(self._settings.request_timeout_s)
        while self._partitions_with_leader(topic):
            if deadline.has_passed():
                raise BrokerUnavailableError(
                    f"topic {topic!r} still exists {self._settings.request_timeout_s:.0f} s after its deletion; "
                    "check that all brokers are running"
                )
            time.sleep(_POLL_S)

    def _partitions_with_leader(self, topic: str) -> int:
        found = cluster_metadata(self._settings, self._admin, topic).topics[topic]
        return sum(partition.leader >= 0 for partition in found.partitions.values())
