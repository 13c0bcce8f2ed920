"""Looks up topics and their partitions in the metadata of a cluster."""

import time
from collections.abc import Sequence
from difflib import get_close_matches

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient, ClusterMetadata  # type: ignore[attr-defined] # public, but not in __all__

from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.deadline import Deadline, until_available
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import UnknownTopicError

UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PART"
"""The error code of a topic or partition that does not exist."""

UNKNOWN_TOPIC_ID = "UNKNOWN_TOPIC_ID"
"""The error code of a topic that was deleted, and perhaps created again with another id."""

UNKNOWN_PARTITION = frozenset({UNKNOWN_TOPIC, "_UNKNOWN_PARTITION", "_UNKNOWN_TOPIC"})
"""The error codes of a partition that does not exist, or that the broker or the client does not know yet."""

PROPAGATION_S = 5.0
"""How long one broker may not know of a topic or a partition that another one knows."""

_POLL_S = 0.05
_MIN_ATTEMPT_S = 1.0
_SHOWN = 8


def cluster_metadata(
    settings: KafkaSettings, client: AdminClient | Consumer | Producer, topic: str | None = None
) -> ClusterMetadata:
    """Return what the brokers know of a topic, or of all; brokers that restart are asked again for `request_timeout_s` seconds.

    Args:
        settings: The settings of the client.
        client: The client.
        topic: The name, None for all topics.

    Raises:
        BrokerError: the brokers reject the request or do not answer.
    """
    deadline = Deadline(settings.request_timeout_s)

    def attempt() -> ClusterMetadata:
        with broker_errors(settings, "list the topics" if topic is None else _looking_up(topic), client):
            return client.list_topics(topic, timeout=deadline.remaining_s(at_least=_MIN_ATTEMPT_S))

    return until_available(deadline, attempt)


def topic_names(settings: KafkaSettings, client: AdminClient | Consumer | Producer) -> Sequence[str]:
    """Return the names of all topics, sorted, without Kafka's internal ones (`__…`). Raises BrokerError."""
    found = cluster_metadata(settings, client).topics
    return sorted(name for name in found if not name.startswith("__"))


def partition_count(settings: KafkaSettings, client: AdminClient | Consumer | Producer, topic: str, *, at_least: int = 1) -> int:
    """Return how many partitions the topic has now.

    Brokers learn of a new topic or partition one after the other, and any of them may answer. So a cluster with several
    brokers is asked again for a while if the answer is fewer partitions than expected.

    Args:
        settings: The settings of the client.
        client: The client.
        topic: The name.
        at_least: How many partitions the topic must have, if another broker was right about it.

    Raises:
        UnknownTopicError: the topic does not exist.
        BrokerError: the brokers reject the request or do not answer.
    """
    deadline = Deadline(PROPAGATION_S)
    while True:
        metadata = cluster_metadata(settings, client, topic)
        found = metadata.topics[topic]
        with broker_errors(settings, _looking_up(topic), client):
            if found.error is not None and found.error.name() != UNKNOWN_TOPIC:
                raise KafkaException(found.error)
        count = len(found.partitions)
        if count >= at_least or len(metadata.brokers) == 1 or deadline.has_passed():
            break
        time.sleep(_POLL_S)
    if found.error is not None:
        raise unknown_topic(topic, topic_names(settings, client))
    return count


def has_partition(settings: KafkaSettings, client: AdminClient | Consumer | Producer, topic: str, partition: int) -> bool:
    """Return whether the topic exists and has the partition, as far as any broker knows. Raises BrokerError."""
    try:
        return partition_count(settings, client, topic, at_least=partition + 1) > partition
    except UnknownTopicError:
        return False


def _looking_up(topic: str) -> str:
    return f"look up topic {topic!r}"


def unknown_topic(topic: str, existing: Sequence[str]) -> UnknownTopicError:
    """Return the error for a topic that does not exist."""
    similar = get_close_matches(topic, existing, _SHOWN, cutoff=0.0) if len(existing) > _SHOWN else existing
    shown = f"{', '.join(similar)}{' …' if len(similar) < len(existing) else ''}" if existing else "none"
    return UnknownTopicError(f"topic {topic!r} is unknown; Kafka has: {shown}. Create it, or have it created (--create-topics)")
