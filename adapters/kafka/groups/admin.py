"""Lists, describes and deletes consumer groups, and reads and sets their offsets."""

import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple, cast

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, IsolationLevel, KafkaException
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin._group import ConsumerGroupDescription
from confluent_kafka.admin._listoffsets import OffsetSpec

from eddyline.adapters.kafka.clients.broker_errors import (
    as_broker_error,
    broker_errors,
    partition_label,
    raise_partition_errors,
)
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.errors import GroupActiveError, GroupError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import TopicPartition

EARLIEST = cast("OffsetSpec", OffsetSpec.earliest())  # type: ignore[no-untyped-call]
LATEST = cast("OffsetSpec", OffsetSpec.latest())  # type: ignore[no-untyped-call]

_NOT_FOUND = "GROUP_ID_NOT_FOUND"
_LOADING = "COORDINATOR_LOAD_IN_PROGRESS"
_RETRY_S = 0.1
_SHOWN = 5


class GroupSummary(NamedTuple):
    """A group in a list; `state` and `kind` (its type) are Kafka's names for them."""

    name: str
    state: str
    kind: str


class PartitionLag(NamedTuple):
    """The progress of a group in a partition.

    `committed` is None before the first commit; `client` and `host` are empty if no member is assigned the partition.
    """

    topic: str
    partition: int
    committed: int | None
    end: int
    client: str
    host: str

    @property
    def lag(self) -> int | None:
        """The difference between the end offset and the committed offset."""
        return None if self.committed is None else self.end - self.committed


class GroupDescription(NamedTuple):
    """A group with every partition that it has committed an offset for or that is assigned to a member."""

    name: str
    state: str
    members: int
    partitions: Sequence[PartitionLag]


class ConsumerGroups:
    """The consumer groups of one cluster. All methods raise BrokerError when the cluster rejects a request or is away."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._admin = new_admin(settings)
        self._timeout_s = settings.request_timeout_s

    def list(self) -> Sequence[GroupSummary]:
        """Return all groups, sorted by name; wait for a coordinator that is still loading them."""
        deadline = Deadline(self._timeout_s)
        with broker_errors(self._settings, "list the groups", self._admin):
            while True:
                found = self._admin.list_consumer_groups(request_timeout=self._timeout_s).result()
                if not found.errors:
                    break
                if found.errors[0].name() != _LOADING or deadline.has_passed():
                    raise KafkaException(found.errors[0])
                time.sleep(_RETRY_S)
        return sorted(GroupSummary(group.group_id, group.state.name, group.type.name) for group in found.valid)

    def describe(self, group: str) -> GroupDescription:
        """Return the group's state, members and lag. Raises GroupError if it does not exist."""
        description = self._description(group)
        committed = self.committed(group)
        if description is None or (description.state is ConsumerGroupState.DEAD and not committed):
            raise self._unknown(group)
        members = {
            TopicPartition(assigned.topic, assigned.partition): member
            for member in description.members
            for assigned in _assignment(member)
        }
        partitions = sorted(committed.keys() | members.keys())
        ends = self.offsets(dict.fromkeys(partitions, LATEST))
        rows = [
            PartitionLag(
                *partition,
                committed.get(partition),
                ends[partition],
                members[partition].client_id if partition in members else "",
                members[partition].host.removeprefix("/") if partition in members else "",
            )
            for partition in partitions
        ]
        return GroupDescription(group, description.state.name, len(description.members), rows)

    def assignments(self, group: str) -> dict[str, frozenset[TopicPartition]] | None:
        """Return the partitions of each member by its client id; None while the group rebalances."""
        description = self._description(group)
        if description is None or description.state is not ConsumerGroupState.STABLE:
            return None
        found: dict[str, frozenset[TopicPartition]] = {}
        for member in description.members:
            own = (TopicPartition(assigned.topic, assigned.partition) for assigned in _assignment(member))
            found[member.client_id] = found.get(member.client_id, frozenset()).union(own)
        return found

    def committed(self, group: str) -> dict[TopicPartition, int]:
        """Return the committed offsets of the group; none if it does not exist."""
        request = [ConsumerGroupTopicPartitions(group)]
        try:
            answers = self._admin.list_consumer_group_offsets(request, request_timeout=self._timeout_s)
            found = answers[group].result().topic_partitions or ()
            raise_partition_errors(found)
        except KafkaException as error:
            if error.args[0].name() == _NOT_FOUND:
                return {}
            raise as_broker_error(self._settings, f"read the offsets of group {group!r}", error, self._admin) from None
        return {TopicPartition(each.topic, each.partition): each.offset for each in found if each.offset >= 0}

    def offsets(self, wanted: Mapping[TopicPartition, OffsetSpec]) -> dict[TopicPartition, int]:
        """Return the offset that each spec selects in its partition; the end offset if no record has a late enough timestamp."""
        if not wanted:
            return {}
        request = {ClientPartition(*partition): spec for partition, spec in wanted.items()}
        with broker_errors(self._settings, "list the offsets of partitions", self._admin):
            for topic in {partition.topic for partition in wanted}:  # or the client may wait three seconds: see `bounds_of`
                self._admin.list_topics(topic, timeout=self._timeout_s)
            answers = self._admin.list_offsets(
                request, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=self._timeout_s
            )
        found = {}
        for partition, answer in answers.items():
            with broker_errors(
                self._settings, f"list the offsets of {partition_label(partition.topic, partition.partition)}", self._admin
            ):
                found[TopicPartition(partition.topic, partition.partition)] = answer.result().offset
        after_all_records = [partition for partition, offset in found.items() if offset < 0]
        return found | self.offsets(dict.fromkeys(after_all_records, LATEST))

    def set_offsets(self, group: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Set committed offsets of the group. Raises GroupActiveError while it has members."""
        self.require_inactive(group)
        targets = [ClientPartition(*partition, offset) for partition, offset in offsets.items()]
        request = [ConsumerGroupTopicPartitions(group, targets)]
        with broker_errors(self._settings, f"reset the offsets of group {group!r}", self._admin):
            answers = self._admin.alter_consumer_group_offsets(request, request_timeout=self._timeout_s)
            raise_partition_errors(answers[group].result().topic_partitions or ())

    def delete(self, group: str) -> None:
        """Delete the group with its offsets; do nothing if it does not exist."""
        with broker_errors(self._settings, f"delete group {group!r}", self._admin):
            try:
                self._admin.delete_consumer_groups([group], request_timeout=self._timeout_s)[group].result()
            except KafkaException as error:
                if error.args[0].name() != _NOT_FOUND:
                    raise

    def require_inactive(self, group: str) -> None:
        """Raise GroupActiveError while the group has members: they would overwrite its offsets."""
        description = self._description(group)
        if description is not None and description.state not in {ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD}:
            raise _active(group, description)

    def _description(self, group: str) -> ConsumerGroupDescription | None:
        try:
            answers = self._admin.describe_consumer_groups([group], request_timeout=self._timeout_s)
            return cast("ConsumerGroupDescription", answers[group].result())
        except KafkaException as error:
            if error.args[0].name() == _NOT_FOUND:
                return None
            raise as_broker_error(self._settings, f"describe group {group!r}", error, self._admin) from None

    def _unknown(self, group: str) -> GroupError:
        names = [found.name for found in self.list()]
        similar = get_close_matches(group, names, _SHOWN, cutoff=0.0)
        return GroupError(f"group {group!r} is unknown; Kafka has: {', '.join(similar) or 'none'}")


def _active(group: str, description: ConsumerGroupDescription) -> GroupActiveError:
    clients = sorted({f"{member.client_id} at {member.host.removeprefix('/')}" for member in description.members})
    state = description.state.name.lower().replace("_", " ")
    shown = f"{', '.join(clients[:_SHOWN])}{' …' if len(clients) > _SHOWN else ''}"
    count = len(description.members)
    members = "1 member" if count == 1 else f"{count} members"
    return GroupActiveError(f"group {group!r} is active ({state}) with {members}: {shown}. Stop them first")


def _assignment(member: object) -> Sequence[ClientPartition]:
    assignment = getattr(member, "assignment", None)
    return assignment.topic_partitions if assignment is not None else ()
