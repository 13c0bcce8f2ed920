"""Looks up the ids that Kafka has given to the cluster and to its topics (KIP-516)."""

import time
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors, unavailable
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.metadata import UNKNOWN_TOPIC, has_partition, topic_names, unknown_topic
from eddyline.adapters.kafka.settings import KafkaSettings

T = TypeVar("T")

_MIN_ATTEMPT_S: Final = 1.0
_MAX_ATTEMPT_S: Final = 5.0
_RETRY_S: Final = 0.2
_UNKNOWN_ID = "AAAAAAAAAAAAAAAAAAAAAA"
"""The id of all topics on brokers older than Kafka 2.8."""


def _forget(_admin: AdminClient) -> None:
    """Do nothing: admin clients have no `close`, and are closed when nothing refers to them."""


_ADMINS: ClientPool[AdminClient] = ClientPool(limit=4, close=_forget)


def cluster_id(settings: KafkaSettings) -> str:
    """Return the id of the cluster, empty if the brokers have none. Raises BrokerError."""

    def ask(admin: AdminClient, timeout_s: float) -> str:
        with broker_errors(settings, "look up the id of the cluster", admin):
            return admin.describe_cluster(request_timeout=timeout_s).result().cluster_id or ""

    return _answered(settings, ask)


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

    return _answered(settings, ask) if names else {}


def _answered(settings: KafkaSettings, ask: Callable[[AdminClient, float], T]) -> T:
    """Return the answer to a client, which `ask` gets with its timeout in seconds; after a timeout, ask with a new client.

    A client goes on waiting for a controller that has died, however long the others have had another one.
    """
    deadline = Deadline(settings.request_timeout_s)
    while True:
        admin = _ADMINS.take((settings,)) or new_admin(settings)
        try:
            answer = ask(admin, deadline.remaining_s(at_least=_MIN_ATTEMPT_S, at_most=_MAX_ATTEMPT_S))
        except BrokerUnavailableError:
            if deadline.has_passed():
                raise
            time.sleep(_RETRY_S)
        except BaseException:
            _ADMINS.put((settings,), admin)
            raise
        else:
            _ADMINS.put((settings,), admin)
            return answer


def close_admins(settings: KafkaSettings) -> None:
    """Forget the admin clients that the functions of this module have kept open for these settings."""
    _ADMINS.close_all(lambda key: isinstance(key, tuple) and key[0] == settings)
