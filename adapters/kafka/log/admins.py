"""Asks admin clients, which stay open between requests, for offsets of partitions and ids of the cluster and of topics."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Final, TypeVar

from confluent_kafka import IsolationLevel, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined] # public, but not in __all__
    AdminClient,
    OffsetSpec,
)

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors, unavailable
from eddyline.adapters.kafka.clients.deadline import Deadline, until_available
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.metadata import UNKNOWN_TOPIC, has_partition, partition_count, topic_names, unknown_topic
from eddyline.adapters.kafka.settings import KafkaSettings

T = TypeVar("T")

_MIN_ATTEMPT_S: Final = 1.0
_MAX_ATTEMPT_S: Final = 5.0


def _forget(_admin: AdminClient) -> None:
    """Do nothing: admin clients have no `close`, and are closed when nothing refers to them."""


_ADMINS: ClientPool[AdminClient] = ClientPool(limit=4, close=_forget)


def answer_of(settings: KafkaSettings, ask: Callable[[AdminClient, float], T], deadline: Deadline) -> T:
    """Return the answer to a client, which `ask` gets with its timeout in seconds: five, or what is left until the deadline.

    A client whose brokers do not answer is not used again: it goes on waiting for a controller that has died, however long the
    others have had another one.

    Raises:
        BrokerUnavailableError: the brokers did not answer.
    """
    with _ADMINS.client((settings,), lambda: new_admin(settings), discard_on=BrokerUnavailableError) as admin:
        return ask(admin, deadline.remaining_s(at_least=_MIN_ATTEMPT_S, at_most=_MAX_ATTEMPT_S))


def repeated_answer_of(settings: KafkaSettings, ask: Callable[[AdminClient, float], T]) -> T:
    """Return the same as `answer_of`, but ask again with a new client until the request timeout has passed."""
    deadline = Deadline(settings.request_timeout_s)
    return until_available(deadline, lambda: answer_of(settings, ask, deadline))


def close_admins(settings: KafkaSettings) -> None:
    """Forget the clients that were kept open for these settings."""
    _ADMINS.close_all(lambda key: isinstance(key, tuple) and key[0] == settings)


def bounds_of(settings: KafkaSettings, minimum: Mapping[str, int]) -> dict[str, list[tuple[int, int]]]:
    """Return the beginning and the end offset of each partition; the end is the one that `isolation.level` says.

    The topics are looked up first: a client that is asked for offsets before it knows the leaders may miss the brokers' answer,
    and asks again after three seconds.

    Args:
        settings: The settings of the clients.
        minimum: The minimum number of partitions of each topic.

    Raises:
        UnknownTopicError: a topic does not exist.
        BrokerError: a leader did not answer, or has an error for one of its partitions.
    """
    read_uncommitted = settings.consumer().get("isolation.level") == "read_uncommitted"
    level = IsolationLevel.READ_UNCOMMITTED if read_uncommitted else IsolationLevel.READ_COMMITTED

    def ask(admin: AdminClient, timeout_s: float) -> dict[str, list[tuple[int, int]]]:
        counts = {topic: partition_count(settings, admin, topic, at_least=count) for topic, count in minimum.items()}
        partitions = [TopicPartition(topic, number) for topic, count in counts.items() for number in range(count)]

        def offsets(spec: OffsetSpec) -> list[int]:
            answers = admin.list_offsets(dict.fromkeys(partitions, spec), isolation_level=level, request_timeout=timeout_s)
            return [answers[partition].result().offset for partition in partitions]

        with broker_errors(settings, f"list the offsets of {', '.join(map(repr, counts))}", admin):
            earliest, latest = OffsetSpec.earliest(), OffsetSpec.latest()  # type: ignore[no-untyped-call]
            bounds = zip(offsets(earliest), offsets(latest), strict=True)
        return {topic: list(islice(bounds, count)) for topic, count in counts.items()}

    return answer_of(settings, ask, Deadline(settings.request_timeout_s)) if minimum else {}


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
