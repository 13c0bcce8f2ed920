"""Looks up the beginning and end offsets of many partitions with one request to each of their leaders."""

from collections.abc import Mapping

from confluent_kafka import IsolationLevel, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined] # public, but not in __all__

from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.log.admins import answer_of
from eddyline.adapters.kafka.settings import KafkaSettings


def bounds_of(settings: KafkaSettings, counts: Mapping[str, int]) -> dict[str, list[tuple[int, int]]]:
    """Return the beginning and the end offset of each partition; the end is the one that `isolation.level` says.

    Args:
        settings: The settings of the clients.
        counts: The number of partitions by topic.

    Raises:
        BrokerError: a leader did not answer, or has an error for one of its partitions.
    """
    read_uncommitted = settings.consumer().get("isolation.level") == "read_uncommitted"
    level = IsolationLevel.READ_UNCOMMITTED if read_uncommitted else IsolationLevel.READ_COMMITTED
    partitions = [TopicPartition(topic, number) for topic, count in counts.items() for number in range(count)]

    def ask(admin: AdminClient, timeout_s: float) -> list[int]:
        with broker_errors(settings, f"list the offsets of {', '.join(map(repr, counts))}", admin):
            requests = [
                admin.list_offsets(dict.fromkeys(partitions, spec), isolation_level=level, request_timeout=timeout_s)
                for spec in (OffsetSpec.earliest(), OffsetSpec.latest())  # type: ignore[no-untyped-call]
            ]
            return [futures[partition].result().offset for futures in requests for partition in partitions]

    if not partitions:
        return {topic: [] for topic in counts}
    offsets = iter(answer_of(settings, ask, Deadline(settings.request_timeout_s)))
    begin = {topic: [next(offsets) for _ in range(count)] for topic, count in counts.items()}
    return {topic: [(first, next(offsets)) for first in numbers] for topic, numbers in begin.items()}
