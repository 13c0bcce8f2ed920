"""Looks up topics and their partitions in the metadata of a cluster."""

from collections.abc import Sequence
from difflib import get_close_matches

from confluent_kafka import Consumer, KafkaException
from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import UnknownTopicError

UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PART"
"""The error code of a topic or partition that does not exist."""

_SHOWN = 8


def topic_names(settings: KafkaSettings, client: AdminClient | Consumer) -> Sequence[str]:
    """Return the names of all topics, sorted, without Kafka's internal ones (`__…`). Raises BrokerError."""
    with broker_errors(settings, "list the topics", client):
        found = client.list_topics(timeout=settings.request_timeout_s).topics
    return sorted(name for name in found if not name.startswith("__"))


def partition_count(settings: KafkaSettings, client: AdminClient | Consumer, topic: str) -> int:
    """Return how many partitions the topic has now. Raises UnknownTopicError, BrokerError."""
    with broker_errors(settings, f"look up topic {topic!r}", client):
        found = client.list_topics(topic, timeout=settings.request_timeout_s).topics[topic]
        if found.error is not None and found.error.name() != UNKNOWN_TOPIC:
            raise KafkaException(found.error)
    if found.error is not None:
        raise unknown_topic(topic, topic_names(settings, client))
    return len(found.partitions)


def unknown_topic(topic: str, existing: Sequence[str]) -> UnknownTopicError:
    """Return the error for a topic that does not exist."""
    similar = get_close_matches(topic, existing, _SHOWN, cutoff=0.0) if len(existing) > _SHOWN else existing
    shown = f"{', '.join(similar)}{' …' if len(similar) < len(existing) else ''}" if existing else "none"
    return UnknownTopicError(f"topic {topic!r} is unknown; Kafka has: {shown}. Create it, or have it created (--create-topics)")
