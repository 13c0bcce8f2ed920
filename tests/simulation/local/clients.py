"""The clients of confluent-kafka as the local engine uses them: consumers of several partitions or members of a group, and
producers whose transactions have the offsets of a member."""

from collections.abc import Callable, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition

from tests.simulation.clients import Consumer, Producer, message
from tests.simulation.local.group import Group, Metadata
from tests.simulation.network import Network

_FETCH_S = 0.1
_HEARTBEAT_S = 0.5

Partitions = list[TopicPartition]
OnChange = Callable[["StreamsConsumer", Partitions], None]


class StreamsConsumer(Consumer):
    """A consumer that reads several partitions, or that is the member of a group."""

    def __init__(self, network: Network, config: dict[str, Any], groups: dict[str, Group]) -> None:
        super().__init__(network, config)
        self.groups = groups
        self._ends: dict[tuple[str, int], int] = {}
        self._paused: set[tuple[str, int]] = set()
        self._member = ""

    # --- reading ------------------------------------------------------------------------------------------------------

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        super().assign(partitions)
        self._ends.clear()
        self._paused.clear()

    def pause(self, partitions: Sequence[TopicPartition]) -> None:
        self._paused.update((at.topic, at.partition) for at in partitions)

    def resume(self, partitions: Sequence[TopicPartition]) -> None:
        self._paused.difference_update((at.topic, at.partition) for at in partitions)

    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        if len(self._at) == 1 and not self._paused and timeout != 0:
            return super().consume(num_messages, timeout)
        deadline = self._network.scheduler.now + max(timeout, 0.0)
        while True:
            found = [message for at in self._at for message in self._fetched(at, num_messages)]
            left = deadline - self._network.scheduler.now
            if found or left <= 0:
                return found
            self._network.scheduler.sleep(min(_FETCH_S, left))

    def _fetched(self, at: TopicPartition, limit: int) -> list[Message]:
        """Return what a fetch in the background has brought."""
        key = (at.topic, at.partition)
        if key in self._paused:
            return []
        found, reached = self._broker.fetch(*key, at.offset, limit, committed=self._committed)
        moved, at.offset = reached > at.offset, reached
        messages = [message(*key, offset, fields) for offset, fields in found]
        if reached == self._broker.end(*key, committed=self._committed) and (moved or self._ends.get(key) != reached):
            self._ends[key] = reached
            messages.append(message(*key, reached, (), KafkaError(KafkaError._PARTITION_EOF)))  # noqa: SLF001 - the constant's public name
        return messages

    def get_watermark_offsets(self, at: TopicPartition, timeout: float = 30.0, *, cached: bool = False) -> tuple[int, int]:
        if cached:
            return 0, self._broker.end(at.topic, at.partition, committed=False)
        return super().get_watermark_offsets(at, timeout)

    # --- the member of a group ----------------------------------------------------------------------------------------

    def subscribe(self, topics: Sequence[str], on_assign: OnChange, on_revoke: OnChange, on_lost: OnChange) -> None:
        (self._topic,) = topics
        self._callbacks = on_assign, on_revoke, on_lost
        self._coordinator = self.groups.setdefault(self._group, Group(len(self._broker.topics[self._topic])))
        self._process = self._network.scheduler.process
        self._generation, self._joined, self._removed = 0, False, False
        self._held: set[int] = set()
        self._revoked: list[int] = []
        self._assigned: list[int] = []
        self._begin()

    def poll(self, timeout: float = -1, /) -> None:
        """Serve the callbacks of the group."""
        if not self._member:
            return
        on_assign, on_revoke, on_lost = self._callbacks
        if self._removed:
            self._removed = False
            lost, self._held = sorted(self._held), set()
            self._begin()
            on_lost(self, self._partitions(lost))
        elif self._revoked:
            revoked, self._revoked = self._revoked, []
            on_revoke(self, self._partitions(revoked))
            self._held.difference_update(revoked)
            self._coordinator.give_up(self._member, revoked)
            self._beat()
        elif self._assigned or (self._generation and not self._joined):
            assigned, self._assigned = self._assigned, []
            try:
                taken = self._coordinator.take(self._member, assigned)
            except KafkaException:
                self._removed = True
                return
            self._joined = True
            self._held.update(taken)
            on_assign(self, self._partitions(taken))
        elif timeout > 0:
            self._network.scheduler.sleep(timeout)

    def incremental_assign(self, partitions: Sequence[TopicPartition]) -> None:
        """Do nothing: the member reads nothing."""

    incremental_unassign = incremental_assign

    def consumer_group_metadata(self) -> Metadata:  # type: ignore[override]
        return Metadata(self._group, self._member, self._generation)

    def commit(self, *, offsets: Sequence[TopicPartition], asynchronous: bool) -> list[TopicPartition]:
        assert asynchronous
        self._broker.commit_offsets(self._group, {(at.topic, at.partition): (at.offset, "") for at in offsets})
        return list(offsets)

    def unsubscribe(self) -> None:
        if self._member:
            self._coordinator.leave(self._member)
        self._member = ""

    def close(self) -> None:
        self._member = ""

    def _begin(self) -> None:
        """Join the group as a new member."""
        scheduler = self._network.scheduler
        self._member = f"member-{scheduler.random.randrange(1 << 40)}"
        self._generation, self._joined = 0, False
        self._revoked, self._assigned = [], []
        scheduler.at(scheduler.random.uniform(0.01, 0.3), lambda member=self._member: self._tick(member))  # type: ignore[misc]

    def _tick(self, member: str) -> None:
        """Send a heartbeat, as a thread of the client does again and again until the process ends."""
        if member != self._member or self._process is None or not self._process.alive:
            return
        scheduler = self._network.scheduler
        if self._process.paused_until <= scheduler.now:
            self._beat()
        scheduler.at(_HEARTBEAT_S * scheduler.random.uniform(0.5, 1.0), lambda: self._tick(member))

    def _beat(self) -> None:
        try:
            view = self._coordinator.heartbeat(self._member, self._network.scheduler.now, joins=not self._generation)
        except KafkaException:
            self._removed = True
            return
        self._generation = view.generation
        self._revoked = [number for number in view.revoked if number in self._held]
        self._assigned = list(view.assigned)

    def _partitions(self, numbers: Sequence[int]) -> Partitions:
        return [TopicPartition(self._topic, number) for number in numbers]


class StreamsProducer(Producer):
    """A producer whose transactions may have the offsets of a member of a group."""

    def __init__(self, network: Network, config: dict[str, Any], groups: dict[str, Group]) -> None:
        super().__init__(network, config)
        self._groups = groups
        self._has_offsets = False

    def begin_transaction(self) -> None:
        super().begin_transaction()
        self._has_offsets = False

    def send_offsets_to_transaction(self, offsets: Sequence[TopicPartition], group: Any, timeout: float) -> None:
        self._check()
        assert self._producer is not None
        given, producer = {(at.topic, at.partition): at.offset for at in offsets}, self._producer
        self._call("add group", lambda: self._broker.add_group_to_transaction(self._id, producer, group.group), timeout)
        self._has_offsets = True

        def commit() -> None:
            coordinator = self._groups[group.group]
            coordinator.expire(self._network.scheduler.now)
            coordinator.check(group)
            self._broker.commit_offsets_in_transaction(self._id, producer, group.group, given)

        self._call(f"offsets {list(given.values())}", commit, timeout, may_be_late=False)

    def abort_transaction(self, timeout: float) -> None:
        self._buffer.clear()
        if self._failure is not None and self._failure.args[0].fatal():
            raise self._failure
        self._failure = None
        if self._added or self._has_offsets:
            self._end(timeout, commit=False)
        self._added.clear()

    def _end(self, timeout: float, *, commit: bool) -> None:
        if self._added or self._has_offsets:
            super()._end(timeout, commit=commit)
