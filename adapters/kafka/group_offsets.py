"""Tells ordinary lag tools how far a flow has come: its source offsets as the committed offsets of a consumer group.

A flow goes by its engine's checkpoint, not by these numbers; it never joins the group.
"""

from collections.abc import Mapping
from typing import TypeAlias

from confluent_kafka import Consumer, TopicPartition

from eddyline.adapters.kafka.clients import Kept, broker_errors, new_consumer
from eddyline.adapters.kafka.settings import KafkaSettings

Offsets: TypeAlias = Mapping[tuple[str, int], int]
"""By topic and partition, the offset of the next record to be read."""


def commit_group_offsets(settings: KafkaSettings, group: str, offsets: Offsets) -> None:
    """Commits the offsets to the group. Raises BrokerError, also while consumers are members of the group."""
    places = [TopicPartition(topic, partition, offset) for (topic, partition), offset in offsets.items()]
    if not places:
        return
    with (
        _CONSUMERS.borrowed((settings, group), lambda: new_consumer(settings, group)) as consumer,
        broker_errors(settings, f"commit the offsets of group {group!r}"),
    ):
        consumer.commit(offsets=places, asynchronous=False)


def group_offsets(settings: KafkaSettings, group: str, places: list[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """The group's committed offsets of these topics and partitions; those without one are left out. Raises BrokerError."""
    asked = [TopicPartition(topic, partition) for topic, partition in places]
    with (
        _CONSUMERS.borrowed((settings, group), lambda: new_consumer(settings, group)) as consumer,
        broker_errors(settings, f"read the offsets of group {group!r}"),
    ):
        found = consumer.committed(asked, timeout=settings.request_timeout_s)
    return {(place.topic, place.partition): place.offset for place in found if place.offset >= 0}


_CONSUMERS: Kept[Consumer] = Kept(limit=4, close=Consumer.close)
