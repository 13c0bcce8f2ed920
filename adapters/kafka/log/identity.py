"""Looks up the ids that Kafka has given to the cluster and to its topics (KIP-516)."""

from collections.abc import Iterable

from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.metadata import UNKNOWN_TOPIC, topic_names, unknown_topic
from eddyline.adapters.kafka.settings import KafkaSettings

_UNKNOWN_ID = "AAAAAAAAAAAAAAAAAAAAAA"
"""The id of all topics on brokers older than Kafka 2.8."""


def _forget(_admin: AdminClient) -> None:
    """Do nothing: admin clients have no `close`, and are closed when nothing refers to them."""


_ADMINS: ClientPool[AdminClient] = ClientPool(limit=4, close=_forget)


def cluster_id(settings: KafkaSettings) -> str:
    """Return the id of the cluster, empty if the brokers have none. Raises BrokerError."""
    with (
        _ADMINS.client((settings,), lambda: new_admin(settings)) as admin,
        broker_errors(settings, "look up the id of the cluster", admin),
    ):
        return admin.describe_cluster(request_timeout=settings.request_timeout_s).result().cluster_id or ""


def topic_ids(settings: KafkaSettings, topics: Iterable[str]) -> dict[str, str]:
    """Return the id of each topic, empty if the brokers have none. Raises UnknownTopicError, BrokerError."""
    names = list(dict.fromkeys(topics))
    if not names:
        return {}
    ids: dict[str, str] = {}
    with _ADMINS.client((settings,), lambda: new_admin(settings)) as admin:
        found = admin.describe_topics(TopicCollection(names), request_timeout=settings.request_timeout_s)
        for topic in names:
            try:
                topic_id = str(found[topic].result().topic_id)
            except KafkaException as error:
                if error.args[0].name() == UNKNOWN_TOPIC:
                    raise unknown_topic(topic, topic_names(settings, admin)) from None
                raise as_broker_error(settings, f"look up the id of topic {topic!r}", error, admin) from None
            ids[topic] = "" if topic_id == _UNKNOWN_ID else topic_id
    return ids


def close_admins(settings: KafkaSettings) -> None:
    """Forget the admin clients that the functions of this module have kept open for these settings."""
    _ADMINS.close_all(lambda key: isinstance(key, tuple) and key[0] == settings)
