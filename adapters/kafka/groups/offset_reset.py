"""Plans and executes resets of a consumer group's offsets, with the scenarios of Kafka's own group tool."""

import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, cast

from confluent_kafka.admin._listoffsets import OffsetSpec

from eddyline.adapters.kafka.clients.broker_errors import partition_label
from eddyline.adapters.kafka.errors import GroupError
from eddyline.adapters.kafka.groups.admin import EARLIEST, LATEST, ConsumerGroups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import TopicPartition


class ResetScenario(StrEnum):
    """How the new offsets are chosen, by the option of Kafka's group tool."""

    EARLIEST = "to-earliest"
    LATEST = "to-latest"
    OFFSET = "to-offset"
    TIME = "to-datetime"
    SHIFT = "shift-by"
    DURATION = "by-duration"


class ResetTarget(NamedTuple):
    """A scenario with its number: an offset, a time (ms since epoch), a count of offsets, or a duration back from now (ms)."""

    scenario: ResetScenario
    number: int = 0


class OffsetChange(NamedTuple):
    """The effect of a reset on one partition; `before` is None if the group has no committed offset there."""

    topic: str
    partition: int
    before: int | None
    after: int


class OffsetReset:
    """Resets of offsets in one cluster. All methods raise BrokerError when the cluster rejects a request or is away."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._groups = ConsumerGroups(settings)
        self._topics = Topics(settings)

    def plan(self, group: str, topics: Mapping[str, Sequence[int]] | None, target: ResetTarget) -> Sequence[OffsetChange]:
        """Return what a reset would change, without changing it.

        Offsets outside a partition are moved to the nearest offset within it.

        Args:
            group: The group.
            topics: Topics, each with its partitions, or with none for all of them; None means every partition that the
                group has committed an offset for.
            target: Where the offsets are to be set.

        Raises:
            GroupError: there is no offset to reset or to shift, or a partition does not exist.
            UnknownTopicError: a topic does not exist.
        """
        committed = self._groups.committed(group)
        partitions = sorted(committed) if topics is None else self._partitions_of(topics)
        if not partitions:
            raise GroupError(f"group {group!r} has no committed offsets to reset; name the topics that it will read")
        begin = self._groups.offsets(dict.fromkeys(partitions, EARLIEST))
        end = self._groups.offsets(dict.fromkeys(partitions, LATEST))
        wanted = self._wanted(group, partitions, target, committed)
        return [OffsetChange(*each, committed.get(each), min(max(wanted[each], begin[each]), end[each])) for each in partitions]

    def require_inactive(self, group: str) -> None:
        """Raise GroupActiveError while the group has members: they would overwrite its offsets."""
        self._groups.require_inactive(group)

    def execute(self, group: str, changes: Sequence[OffsetChange]) -> None:
        """Set the offsets as planned. Raises GroupActiveError while the group has members."""
        offsets = {TopicPartition(change.topic, change.partition): change.after for change in changes}
        self._groups.set_offsets(group, offsets)

    def _partitions_of(self, topics: Mapping[str, Sequence[int]]) -> Sequence[TopicPartition]:
        chosen = []
        for topic, partitions in topics.items():
            count = self._topics.partitions(topic)
            for partition in partitions or range(count):
                if not 0 <= partition < count:
                    raise GroupError(f"topic {topic!r} has no partition {partition}; it has 0 to {count - 1}")
                chosen.append(TopicPartition(topic, partition))
        return sorted(chosen)

    def _wanted(
        self,
        group: str,
        partitions: Sequence[TopicPartition],
        target: ResetTarget,
        committed: Mapping[TopicPartition, int],
    ) -> Mapping[TopicPartition, int]:
        if target.scenario is ResetScenario.OFFSET:
            return dict.fromkeys(partitions, target.number)
        if target.scenario is ResetScenario.SHIFT:
            return _shifted(group, partitions, target.number, committed)
        return self._groups.offsets(dict.fromkeys(partitions, _spec(target)))


def _spec(target: ResetTarget) -> OffsetSpec:
    if target.scenario is ResetScenario.EARLIEST:
        return EARLIEST
    if target.scenario is ResetScenario.LATEST:
        return LATEST
    since = target.number if target.scenario is ResetScenario.TIME else int(time.time() * 1000) - target.number
    return cast("OffsetSpec", OffsetSpec.for_timestamp(since))


def _shifted(
    group: str, partitions: Sequence[TopicPartition], by: int, committed: Mapping[TopicPartition, int]
) -> Mapping[TopicPartition, int]:
    for partition in partitions:
        if partition not in committed:
            raise GroupError(
                f"group {group!r} has no committed offset to shift in {partition_label(*partition)}; "
                "set one first, for example with --to-earliest"
            )
    return {partition: committed[partition] + by for partition in partitions}
