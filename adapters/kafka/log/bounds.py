"""Looks up the beginning and end offsets of many partitions with one request to each of their leaders."""

from collections.abc import Mapping
from itertools import islice

from confluent_kafka import IsolationLevel, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined] # public, but not in __all__

from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.log.admins import answer_of
from eddyline.adapters.kafka.metadata import partition_count
from eddyline.adapters.kafka.settings import KafkaSettings


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
