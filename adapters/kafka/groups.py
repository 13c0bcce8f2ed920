"""Consumer groups: which there are, how far behind they are, and moving their offsets while nobody uses them."""

import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import NamedTuple, TypeAlias, cast

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, IsolationLevel, KafkaException, TopicPartition
from confluent_kafka.admin._group import ConsumerGroupDescription
from confluent_kafka.admin._listoffsets import OffsetSpec

from eddyline.adapters.kafka.clients import as_broker_error, broker_errors, new_admin
from eddyline.adapters.kafka.errors import GroupActiveError, GroupError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import partition_count

Place: TypeAlias = tuple[str, int]

_NOT_FOUND = "GROUP_ID_NOT_FOUND"
_SHOWN = 5
_EARLIEST = cast("OffsetSpec", OffsetSpec.earliest())  # type: ignore[no-untyped-call]
_LATEST = cast("OffsetSpec", OffsetSpec.latest())  # type: ignore[no-untyped-call]


class GroupSummary(NamedTuple):
    """A group by its name, with Kafka's word for its state."""

    name: str
    state: str
    kind: str


class PartitionProgress(NamedTuple):
    """How far a group has come in a partition; `committed` is None before its first commit, `client` empty without a reader."""

    topic: str
    partition: int
    committed: int | None
    end: int
    client: str
    host: str

    @property
    def lag(self) -> int | None:
        """How many offsets lie between the commit and the end."""
        return None if self.committed is None else self.end - self.committed


class GroupProgress(NamedTuple):
    """A group with all partitions that it has committed to or is reading."""

    name: str
    state: str
    members: int
    partitions: Sequence[PartitionProgress]


class Aim(StrEnum):
    """Where offsets may be moved to, in the words of Kafka's own group tool."""

    EARLIEST = "to-earliest"
    LATEST = "to-latest"
    OFFSET = "to-offset"
    TIME = "to-datetime"
    SHIFT = "shift-by"
    DURATION = "by-duration"


class Target(NamedTuple):
    """An aim with its number: an offset, a time (ms since epoch), a count of offsets, or a duration (ms) back from now."""

    aim: Aim
    number: int = 0


class OffsetMove(NamedTuple):
    """What a reset does to a partition; `before` is None where the group has no offset yet."""

    topic: str
    partition: int
    before: int | None
    after: int


class Groups:
    """The consumer groups of one cluster. All methods raise BrokerError when the cluster refuses or does not answer."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._admin = new_admin(settings)

    def list(self) -> Sequence[GroupSummary]:
        """All groups, sorted by name."""
        with broker_errors(self._settings, "list the groups"):
            found = self._admin.list_consumer_groups(request_timeout=self._settings.request_timeout_s).result()
            if found.errors:
                raise KafkaException(found.errors[0])
        return sorted(GroupSummary(group.group_id, group.state.name, group.type.name) for group in found.valid)

    def describe(self, group: str) -> GroupProgress:
        """The group's progress in every partition, sorted. Raises GroupError for a group that does not exist."""
        described = self._described(group)
        committed = self.committed(group)
        if described is None or (described.state is ConsumerGroupState.DEAD and not committed):
            raise self._unknown(group)
        readers = {(place.topic, place.partition): member for member in described.members for place in _assigned(member)}
        places = sorted(committed.keys() | readers.keys())
        ends = self._offsets(dict.fromkeys(places, _LATEST))
        rows = [
            PartitionProgress(
                *place,
                committed.get(place),
                ends[place],
                readers[place].client_id if place in readers else "",
                readers[place].host.removeprefix("/") if place in readers else "",
            )
            for place in places
        ]
        return GroupProgress(group, described.state.name, len(described.members), rows)

    def plan_reset(self, group: str, topics: Mapping[str, Sequence[int]] | None, target: Target) -> Sequence[OffsetMove]:
        """What moving the group's offsets would do; nothing is done yet.

        `topics` names topics, each with its partitions or none for all of them; None is every partition that the group has
        committed to. Offsets outside a partition are moved to its nearest end. Raises GroupError where there is nothing to
        move or to shift from, UnknownTopicError.
        """
        committed = self.committed(group)
        places = sorted(committed) if topics is None else self._places(topics)
        if not places:
            raise GroupError(f"group {group!r} has no offsets that could be moved; name the topics to begin with")
        first = self._offsets(dict.fromkeys(places, _EARLIEST))
        last = self._offsets(dict.fromkeys(places, _LATEST))
        wanted = self._wanted(group, places, target, committed)
        return [OffsetMove(*place, committed.get(place), min(max(wanted[place], first[place]), last[place])) for place in places]

    def refuse_active(self, group: str) -> None:
        """Raises GroupActiveError while the group has members; they would overwrite what is moved."""
        described = self._described(group)
        if described is not None and described.state not in {ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD}:
            raise _active(group, described)

    def execute(self, group: str, moves: Sequence[OffsetMove]) -> None:
        """Moves the offsets. Raises GroupActiveError while the group has members."""
        self.refuse_active(group)
        places = [TopicPartition(move.topic, move.partition, move.after) for move in moves]
        request = [ConsumerGroupTopicPartitions(group, places)]
        with broker_errors(self._settings, f"move the offsets of group {group!r}"):
            done = self._admin.alter_consumer_group_offsets(request, request_timeout=self._settings.request_timeout_s)[
                group
            ].result()
            for place in done.topic_partitions or ():
                if place.error is not None:
                    raise KafkaException(place.error)

    def _wanted(self, group: str, places: Sequence[Place], target: Target, committed: Mapping[Place, int]) -> Mapping[Place, int]:
        if target.aim is Aim.OFFSET:
            return dict.fromkeys(places, target.number)
        if target.aim is Aim.SHIFT:
            return _shifted(group, places, target.number, committed)
        return self._offsets(dict.fromkeys(places, _spec(target)))

    def _described(self, group: str) -> ConsumerGroupDescription | None:
        try:
            answers = self._admin.describe_consumer_groups([group], request_timeout=self._settings.request_timeout_s)
            return cast("ConsumerGroupDescription", answers[group].result())
        except KafkaException as error:
            if error.args[0].name() == _NOT_FOUND:
                return None
            raise as_broker_error(self._settings, f"describe group {group!r}", error) from None

    def committed(self, group: str) -> dict[Place, int]:
        """The group's offsets by topic and partition; none for a group that does not exist."""
        request = [ConsumerGroupTopicPartitions(group)]
        try:
            found = self._admin.list_consumer_group_offsets(request, request_timeout=self._settings.request_timeout_s)[
                group
            ].result()
        except KafkaException as error:
            if error.args[0].name() == _NOT_FOUND:
                return {}
            raise as_broker_error(self._settings, f"read the offsets of group {group!r}", error) from None
        return {(place.topic, place.partition): place.offset for place in found.topic_partitions or () if place.offset >= 0}

    def _offsets(self, wanted: Mapping[Place, OffsetSpec]) -> dict[Place, int]:
        if not wanted:
            return {}
        request = {TopicPartition(*place): spec for place, spec in wanted.items()}
        with broker_errors(self._settings, "ask for offsets"):
            answers = self._admin.list_offsets(
                request, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=self._settings.request_timeout_s
            )
            found = {(place.topic, place.partition): answer.result().offset for place, answer in answers.items()}
        behind_all = [place for place, offset in found.items() if offset < 0]
        return found | self._offsets(dict.fromkeys(behind_all, _LATEST))

    def _places(self, topics: Mapping[str, Sequence[int]]) -> Sequence[Place]:
        places = []
        for topic, partitions in topics.items():
            count = partition_count(self._settings, self._admin, topic)
            for partition in partitions or range(count):
                if not 0 <= partition < count:
                    raise GroupError(f"topic {topic!r} has no partition {partition}; it has 0 to {count - 1}")
                places.append((topic, partition))
        return sorted(places)

    def _unknown(self, group: str) -> GroupError:
        names = [found.name for found in self.list()]
        near = get_close_matches(group, names, _SHOWN, cutoff=0.0)
        return GroupError(f"group {group!r} is unknown; Kafka has: {', '.join(near) or 'none'}")


def _spec(target: Target) -> OffsetSpec:
    if target.aim is Aim.EARLIEST:
        return _EARLIEST
    if target.aim is Aim.LATEST:
        return _LATEST
    since = target.number if target.aim is Aim.TIME else int(time.time() * 1000) - target.number
    return cast("OffsetSpec", OffsetSpec.for_timestamp(since))


def _shifted(group: str, places: Sequence[Place], by: int, committed: Mapping[Place, int]) -> Mapping[Place, int]:
    for topic, partition in places:
        if (topic, partition) not in committed:
            raise GroupError(
                f"group {group!r} has no offset in topic {topic!r}, partition {partition}, that could be shifted; "
                "set one first, for example with --to-earliest"
            )
    return {place: committed[place] + by for place in places}


def _active(group: str, described: ConsumerGroupDescription) -> GroupActiveError:
    clients = sorted({f"{member.client_id} at {member.host.removeprefix('/')}" for member in described.members})
    state = described.state.name.lower().replace("_", " ")
    shown = f"{', '.join(clients[:_SHOWN])}{' …' if len(clients) > _SHOWN else ''}"
    return GroupActiveError(
        f"group {group!r} is active ({state}) with {len(described.members)} members: {shown}. Stop them first"
    )


def _assigned(member: object) -> Sequence[TopicPartition]:
    assignment = getattr(member, "assignment", None)
    return assignment.topic_partitions if assignment is not None else ()
