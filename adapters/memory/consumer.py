"""Reads single records of an event log in this process, alone or in a group."""

import time
from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Protocol

from eddyline.application.ports.event_log import EventLog, LogRecord, TopicPartition
from eddyline.application.ports.record_clients import ConsumerClient, OnCommit, Rebalance

_POLL_S = 0.02


class Group(Protocol):
    """The members of a group, who share partitions and committed offsets."""

    def join(self, member: object, topics: Sequence[str]) -> None:
        """Let a member share in the partitions of topics."""

    def target(self, member: object) -> set[TopicPartition]:
        """Return the partitions that the member should have."""

    def take(self, member: object) -> set[TopicPartition]:
        """Give the member those of its partitions that no other member has; return the new ones."""

    def release(self, member: object, partitions: set[TopicPartition]) -> None:
        """Free partitions of a member."""

    def leave(self, member: object) -> None:
        """Free all partitions of a member, and let the others have them."""

    def committed(self) -> dict[TopicPartition, int]:
        """Return the committed offsets."""

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit offsets durably, as far as the log itself is durable."""


class MemoryGroup:
    """A group of consumers in this process: each has every n-th partition; those that move are free before others get them."""

    def __init__(self, log: EventLog) -> None:
        self._log, self._lock = log, RLock()
        self._members: dict[object, Sequence[str]] = {}
        self._owners: dict[TopicPartition, object] = {}
        self._committed: dict[TopicPartition, int] = {}

    def join(self, member: object, topics: Sequence[str]) -> None:
        with self._lock:
            self._members[member] = topics

    def target(self, member: object) -> set[TopicPartition]:
        with self._lock:
            found = set()
            for topic in sorted(self._members[member]):
                members = [each for each, topics in self._members.items() if topic in topics]
                numbers = range(members.index(member), self._log.partitions(topic), len(members))
                found |= {TopicPartition(topic, number) for number in numbers}
            return found

    def take(self, member: object) -> set[TopicPartition]:
        with self._lock:
            free = {partition for partition in self.target(member) if partition not in self._owners}
            self._owners |= dict.fromkeys(free, member)
            return free

    def release(self, member: object, partitions: set[TopicPartition]) -> None:
        with self._lock:
            for partition in partitions:
                if self._owners.get(partition) is member:
                    del self._owners[partition]

    def leave(self, member: object) -> None:
        with self._lock:
            self._members.pop(member, None)
            self.release(member, set(self._owners))

    def committed(self) -> dict[TopicPartition, int]:
        with self._lock:
            return dict(self._committed)

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        with self._lock:
            self._committed |= offsets


class LogConsumer(ConsumerClient):
    """A consumer of an event log.

    Args:
        log: The event log.
        group: The group, None to read partitions without one.
        start: Where to start: `committed` (the beginning if there is no committed offset), `beginning`, `end`, `offset` or
            `time`, with the offset or the time in ms since the epoch.
    """

    def __init__(self, log: EventLog, group: Group | None, *, start: tuple[str, int]) -> None:
        self._log, self._group, self._start = log, group, start
        self._positions: dict[TopicPartition, int] = {}
        self._seen: set[TopicPartition] = set()
        self._rebalance: Rebalance | None = None
        self._due: list[Callable[[], None]] = []
        self._turn = 0

    def subscribe(self, topics: Sequence[str], rebalance: Rebalance) -> None:
        if self._group is None:
            raise ValueError("a consumer without a group cannot subscribe; give it a group, or assign partitions")
        for topic in topics:
            self._log.partitions(topic)
        self._rebalance = rebalance
        self._group.join(self, topics)

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        self._positions = {partition: self._first(partition) for partition in partitions}

    def partitions(self) -> Sequence[TopicPartition]:
        return sorted(self._positions)

    def poll(self, max_records: int, timeout_s: float) -> Sequence[LogRecord]:
        deadline = time.monotonic() + timeout_s
        while True:
            due, self._due = self._due, []
            for call in due:
                call()
            self._follow_group()
            records = self._read(max_records)
            left = deadline - time.monotonic()
            if records or left <= 0:
                return records
            time.sleep(min(_POLL_S, left))

    def seek(self, partition: TopicPartition, offset: int) -> None:
        self._positions[partition] = offset

    def bounds(self, partition: TopicPartition) -> tuple[int, int]:
        return self._log.bounds(*partition)

    def offset_at(self, partition: TopicPartition, timestamp: int) -> int:
        first, end = self.bounds(partition)
        batches = self._log.read(*partition, first, end)
        return next((each.offset for batch in batches for each in batch if each.timestamp >= timestamp), end)

    def committed(self, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        known = {} if self._group is None else self._group.committed()
        return {partition: known[partition] for partition in partitions if partition in known}

    def commit_offsets(self, offsets: Mapping[TopicPartition, int]) -> bool:
        if self._group is not None and offsets:
            self._group.commit(offsets)
        return True

    def commit_in_background(self, offsets: Mapping[TopicPartition, int], on_commit: OnCommit) -> None:
        self.commit_offsets(offsets)
        self._due.append(lambda: on_commit(offsets, None))

    def close(self) -> None:
        due, self._due = self._due, []
        for call in due:
            call()
        if self._group is not None and self._rebalance is not None:
            if self._positions:
                self._rebalance.revoked(self.partitions())
            self._positions.clear()
            self._group.leave(self)
            self._rebalance = None

    def _follow_group(self) -> None:
        if self._group is None or self._rebalance is None:
            return
        lost = self._positions.keys() - self._group.target(self)
        if lost:
            self._rebalance.revoked(sorted(lost))
            for partition in lost:
                del self._positions[partition]
            self._group.release(self, lost)
        gained = sorted(self._group.take(self))
        if gained:
            self._positions |= {partition: self._first(partition) for partition in gained}
            self._rebalance.assigned(gained)

    def _first(self, partition: TopicPartition) -> int:
        """Return the offset to start at."""
        (kind, number), (first, end) = self._start, self.bounds(partition)
        is_new = partition not in self._seen
        self._seen.add(partition)
        if kind == "committed" or not is_new:
            return self.committed([partition]).get(partition, first)
        if kind == "end":
            return end
        if kind == "offset":
            return min(max(number, first), end)
        return self.offset_at(partition, number) if kind == "time" else first

    def _read(self, max_records: int) -> list[LogRecord]:
        """Return the next records of the partitions in turn."""
        found: list[LogRecord] = []
        partitions = self.partitions()
        self._turn += 1
        for number in range(len(partitions)):
            partition = partitions[(self._turn + number) % len(partitions)]
            position, end = self._positions[partition], self._log.end_offset(*partition)
            for batch in self._log.read(*partition, position, end):
                part = batch[: max_records - len(found)]
                found += part
                position = part[-1].offset + 1 if part else position
                if len(found) == max_records:
                    self._positions[partition] = position
                    return found
            self._positions[partition] = end
        return found
