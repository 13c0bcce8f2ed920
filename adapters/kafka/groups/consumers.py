"""Several consumers of one topic, each in its own thread."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, suppress
from typing import TypeAlias

from eddyline.adapters.kafka.clients.factory import METADATA_GROUP, new_consumer
from eddyline.adapters.kafka.groups.member import GroupMember
from eddyline.adapters.kafka.groups.start import StartPosition
from eddyline.adapters.kafka.metadata import partition_count
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import LogRecord, TopicPartition

OnBatch: TypeAlias = Callable[[int, Sequence[LogRecord]], int]
"""Processes the next records of the consumer with this number, and returns how many of them it processed, from the first on."""

OnChange: TypeAlias = Callable[[Mapping[int, Sequence[TopicPartition]]], None]
"""Receives the partitions of every consumer, by its number; an idle consumer has none."""

_POLL_S = 0.2
_SETTLED_S = 10.0
_COMMIT_TIMEOUT_S = 10.0


class Consumers:
    """Consumers of a topic, numbered from 1, that run until `stop` is called.

    Args:
        settings: Settings of the consumers.
        topic: The topic.
        group: The group id; with None the consumers divide the partitions among themselves, and commit nothing.
        count: How many consumers.
        start: Where to start; by default at the committed offsets.
        max_batch_records: The most records for one call of `on_batch`.
        cooperative: Whether a rebalance revokes only the partitions that move, or all of them.
        until_end: Whether to stop when every partition was read to its end.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        topic: str,
        group: str | None,
        *,
        count: int = 1,
        start: StartPosition | None = None,
        max_batch_records: int = 500,
        cooperative: bool = True,
        until_end: bool = False,
    ) -> None:
        self._settings = settings
        self._topic = topic
        self._group = group
        self._count = count
        self._start = start or StartPosition()
        self._max_batch_records = max_batch_records
        self._cooperative = cooperative
        self._until_end = until_end
        self._stop_requested = False  # no Event: its lock is not safe in a signal handler
        self._lock = threading.RLock()
        self._partitions: AbstractSet[TopicPartition] = frozenset()
        self._seen: set[TopicPartition] = set()
        self._assignments: dict[int, Sequence[TopicPartition]] = dict.fromkeys(range(1, count + 1), ())
        self._at_end: dict[int, AbstractSet[TopicPartition]] = dict.fromkeys(range(1, count + 1), frozenset())
        self._changed_at = time.monotonic()
        self._all_committed = threading.Barrier(count)
        self._failure: BaseException | None = None

    def run(self, on_batch: OnBatch, on_change: OnChange) -> None:
        """Consume until `stop` is called or, with `until_end`, the end of all partitions is reached.

        The offsets of processed records are committed after each batch. If `on_batch` raises, nothing of the batch is
        committed, all consumers stop, and the same exception is raised here.

        Args:
            on_batch: Processes records; called by one thread at a time.
            on_change: Called after every change of the assignment; never at the same time as `on_batch`.

        Raises:
            UnknownTopicError: the topic does not exist.
            BrokerError: the cluster rejects a request or does not answer.
        """
        with closing(new_consumer(self._settings, METADATA_GROUP)) as consumer:
            partitions = partition_count(self._settings, consumer, self._topic)
        self._partitions = {TopicPartition(self._topic, partition) for partition in range(partitions)}
        threads = [
            threading.Thread(target=self._work, args=(number, on_batch, on_change), name=f"consumer-{number}")
            for number in self._assignments
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():  # with a timeout, so that the main thread handles signals
                    thread.join(_POLL_S)
        finally:
            self.stop()
            for thread in threads:
                thread.join()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Let every consumer finish its batch, commit it and leave; may be called from a signal handler."""
        self._stop_requested = True

    def _is_stopping(self) -> bool:
        return self._stop_requested

    def _work(self, number: int, on_batch: OnBatch, on_change: OnChange) -> None:
        try:
            member = GroupMember(
                self._settings,
                self._group,
                start=self._start,
                is_new=self._is_new,
                on_change=lambda assigned: self._changed(number, assigned, on_change),
                cooperative=self._cooperative,
            )
            try:
                self._consume(member, number, on_batch)
                self._wait_until_all_have_committed()
            finally:
                member.close()
        except BaseException as error:  # noqa: BLE001 - raised again by run
            with self._lock:
                self._failure = self._failure or error
            self._all_committed.abort()
            self.stop()

    def _wait_until_all_have_committed(self) -> None:
        """Wait for the others: the first member to leave starts a rebalance, during which they could not commit."""
        with suppress(threading.BrokenBarrierError):
            self._all_committed.wait(_COMMIT_TIMEOUT_S)

    def _consume(self, member: GroupMember, number: int, on_batch: OnBatch) -> None:
        if self._group is None:
            member.assign(sorted(self._partitions)[number - 1 :: self._count])
        else:
            member.subscribe([self._topic])
        while not self._is_stopping():
            records = member.poll(self._max_batch_records, _POLL_S)
            processed = 0
            if records:
                with self._lock:
                    if self._is_stopping():
                        break
                    processed = on_batch(number, records)
            member.commit(records[:processed])
            self._check_end(number, member)
        member.finish()

    def _check_end(self, number: int, member: GroupMember) -> None:
        """Stop if all partitions were read to their end.

        A partition that none of our members has may not be assigned yet, or be moving between two of them; if none has it
        after a while, a member in another process has it.
        """
        if not self._until_end:
            return
        with self._lock:
            self._at_end[number] = member.at_end()
            at_end = {partition for partitions in self._at_end.values() for partition in partitions}
            assigned = {partition for partitions in self._assignments.values() for partition in partitions}
            is_settled = time.monotonic() - self._changed_at > _SETTLED_S
            if assigned and at_end >= (assigned if is_settled else self._partitions):
                self.stop()

    def _changed(self, number: int, partitions: Sequence[TopicPartition], on_change: OnChange) -> None:
        with self._lock:
            if self._assignments[number] == partitions:
                return
            self._assignments[number] = partitions
            self._at_end[number] &= set(partitions)
            self._changed_at = time.monotonic()
            if not self._is_stopping():
                on_change(dict(self._assignments))

    def _is_new(self, partition: TopicPartition) -> bool:
        with self._lock:
            known = partition in self._seen
            self._seen.add(partition)
            return not known
