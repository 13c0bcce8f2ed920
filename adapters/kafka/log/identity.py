"""Looks up the ids that Kafka has given to the cluster and to its topics (KIP-516)."""

from collections.abc import Iterable
from typing import Final

from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors, unavailable
from eddyline.adapters.kafka.log.admins import repeated_answer_of
from eddyline.adapters.kafka.metadata import UNKNOWN_TOPIC, has_partition, topic_names, unknown_topic
from eddyline.adapters.kafka.settings import KafkaSettings

_UNKNOWN_ID: Final = "AAAAAAAAAAAAAAAAAAAAAA"
"""The id of all topics on brokers older than Kafka 2.8."""


def cluster_id(settings: KafkaSettings) -> str:
    """Return the id of the cluster, empty if the brokers have none. Raises BrokerError."""

    def ask(admin: AdminClient, timeout_s: float) -> str:
        with broker_errors(settings, "look up the id of the cluster", admin):
            return admin.describe_cluster(request_timeout=timeout_s).result().cluster_id or ""

    return repeated_answer_of(settings, ask)


def topic_ids(settings: KafkaSettings, topics: Iterable[str]) -> dict[str, str]:
    """Return the id of each topic, empty if the brokers have none. Raises UnknownTopicError, BrokerError."""
    names = list(dict.fromkeys(topics))

    def ask(admin: AdminClient, timeout_s: float) -> dict[str, str]:
        ids: dict[str, str] = {}
        found = admin.describe_topics(TopicCollection(names), request_timeout=timeout_s)
        for topic in names:
            action = f"look up the id of topic {topic!r}"
            try:
                topic_id = str(found[topic].result().topic_id)
            except KafkaException as error:
                if error.args[0].name() == UNKNOWN_TOPIC:
                    if has_partition(settings, admin, topic, 0):
                        raise unavailable(settings, action, "the topic is new, and not known everywhere yet") from None
                    raise unknown_topic(topic, topic_names(settings, admin)) from None
                raise as_broker_error(settings, action, error, admin) from None
            ids[topic] = "" if topic_id == _UNKNOWN_ID else topic_id
        return ids

    return repeated_answer_of(settings, ask) if names else {}
