"""Commits the source offsets of a flow to a consumer group, for lag monitoring, and reads committed offsets.

A flow resumes from the checkpoint of its engine, not from these offsets, and never joins the group.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.broker_errors import broker_errors, raise_partition_errors
from eddyline.adapters.kafka.clients.factory import new_consumer
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import TopicPartition

_Partition = TypeVar("_Partition", bound=tuple[str, int])
"""A topic and a partition of it."""

_DEFAULTS = {"session.timeout.ms": "10000"}
"""It bounds the wait for a coordinator of a client that is no member: a commit has no timeout of its own."""

_CONSUMERS: ClientPool[Consumer] = ClientPool(limit=4, close=Consumer.close)


def commit_group_offsets(
    settings: KafkaSettings, group: str, offsets: Mapping[_Partition, int], metadata: Mapping[str, str] | None = None
) -> None:
    """Commit the next offsets to read, by partition, to the group; `metadata` is a text by topic that is kept with them.

    Raises BrokerError, also while the group has members.
    """
    if not offsets:
        return
    texts = metadata or {}
    targets = [
        ClientPartition(topic, partition, offset, metadata=texts.get(topic, "")) for (topic, partition), offset in offsets.items()
    ]
    with (
        _CONSUMERS.client((settings, group), lambda: new_consumer(settings, group, defaults=_DEFAULTS)) as consumer,
        broker_errors(settings, f"commit the offsets of group {group!r}", consumer),
    ):
        raise_partition_errors(consumer.commit(offsets=targets, asynchronous=False))


def group_offsets(settings: KafkaSettings, group: str, partitions: Iterable[tuple[str, int]]) -> dict[TopicPartition, int]:
    """Return the committed offsets of these partitions, without those that have none. Raises BrokerError."""
    with (
        _CONSUMERS.client((settings, group), lambda: new_consumer(settings, group, defaults=_DEFAULTS)) as consumer,
        broker_errors(settings, f"read the offsets of group {group!r}", consumer),
    ):
        found = consumer.committed([ClientPartition(*each) for each in partitions], timeout=settings.request_timeout_s)
        raise_partition_errors(found)
    return {TopicPartition(each.topic, each.partition): each.offset for each in found if each.offset >= 0}


def close_offset_consumers(settings: KafkaSettings) -> None:
    """Close the consumers that the functions of this module have kept open for these settings."""
    _CONSUMERS.close_all(lambda key: isinstance(key, tuple) and key[0] == settings)
