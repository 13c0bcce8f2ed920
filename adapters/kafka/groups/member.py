"""One consumer: a member of a consumer group, or with partitions that are assigned to it."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import cast

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.broker_errors import (
    as_broker_error,
    broker_errors,
    partition_label,
    raise_partition_errors,
)
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.error_codes import AUTHORIZATION
from eddyline.adapters.kafka.clients.factory import READER_GROUP, new_consumer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER, LOGGER
from eddyline.adapters.kafka.errors import BrokerError
from eddyline.adapters.kafka.groups.start import StartFrom, StartPosition
from eddyline.adapters.kafka.metadata import UNKNOWN_TOPIC, has_partition
from eddyline.adapters.kafka.records import log_records
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.record_clients import ConsumerClient, OnCommit, Rebalance

_REBALANCE_TIMEOUT_S = 5.0
_POLL_S = 0.1
_SEEK_RETRY_S = 0.01
_NOT_YET = "_STATE"
_REBALANCING = {
    "FENCED_INSTANCE_ID",
    "ILLEGAL_GENERATION",
    "REBALANCE_IN_PROGRESS",
    "STALE_MEMBER_EPOCH",
    "UNKNOWN_MEMBER_ID",
}
_FATAL = AUTHORIZATION | {"_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED"}


class GroupMember(ConsumerClient):
    """A consumer in a group or, if `group` is None, with partitions that `assign` gives it.

    Args:
        settings: Settings of the consumer.
        group: The group id, or None.
        start: Where to start partitions for which `is_new` returns true; others continue at their committed offsets.
        is_new: Returns whether a partition is consumed for the first time.
        on_change: Called with all partitions of the member after each change of its assignment.
        cooperative: Whether a rebalance revokes only the partitions that move, or all of them.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        group: str | None,
        *,
        start: StartPosition,
        is_new: Callable[[TopicPartition], bool],
        on_change: Callable[[Sequence[TopicPartition]], None],
        cooperative: bool = True,
    ) -> None:
        self._settings = settings
        self._start = start
        self._is_new = is_new
        self._on_change = on_change
        self._cooperative = cooperative
        self._group = group
        self._at_end: set[TopicPartition] = set()
        self._is_joining = False
        self._is_leaving = False
        self._uncommitted: dict[TopicPartition, int] = {}
        self._rebalance: Rebalance | None = None
        self._assigning: dict[TopicPartition, ClientPartition] = {}
        self._due: list[tuple[OnCommit, Mapping[TopicPartition, int], Exception | None]] = []
        self._background = ThreadPoolExecutor(1, thread_name_prefix="commit")
        strategy = {"partition.assignment.strategy": "cooperative-sticky" if cooperative else "range"}
        self._consumer: Consumer = new_consumer(
            settings,
            group or READER_GROUP,
            defaults={**strategy, "auto.offset.reset": "latest" if start.start_from is StartFrom.END else "earliest"},
            fixed={"enable.partition.eof": True},
        )

    def subscribe(self, topics: Sequence[str], rebalance: Rebalance | None = None) -> None:
        self._is_joining = True
        self._rebalance = rebalance
        self._consumer.subscribe(list(topics), on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost)

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        self._consumer.assign(self._with_start([ClientPartition(*partition) for partition in partitions]))
        self._notify()

    def poll(self, max_records: int, timeout_s: float) -> Sequence[LogRecord]:
        self._call_due()
        with broker_errors(self._settings, "consume"):
            messages = self._consumer.consume(1, timeout_s)
            if messages and max_records > 1:
                messages += self._consumer.consume(max_records - 1, 0)
        read = []
        for message in messages:
            if (error := message.error()) is None:
                read.append(message)
            else:
                self._handle(error, message)
        runs = groupby(read, key=_partition_of)
        return [record for partition, run in runs for record in log_records(*partition, list(run))]

    def commit(self, records: Sequence[LogRecord] = ()) -> bool:
        """Commit the offsets of processed records, and earlier ones that could not be committed; nothing without a group.

        Offsets that cannot be committed before their partition is revoked are discarded: its new owner reads the last records
        again.

        Returns:
            False during a rebalance: try again after the next poll.

        Raises:
            BrokerError: the offsets cannot be committed.
        """
        if self._group is None:
            return True
        return self.commit_offsets({TopicPartition(record.topic, record.partition): record.offset + 1 for record in records})

    def commit_offsets(self, offsets: Mapping[TopicPartition, int]) -> bool:
        self._uncommitted |= offsets
        if not self._uncommitted:
            return True
        targets = [ClientPartition(*partition, offset) for partition, offset in self._uncommitted.items()]
        try:
            raise_partition_errors(self._consumer.commit(offsets=targets, asynchronous=False))
        except KafkaException as error:
            if error.args[0].name() in _REBALANCING:
                return False
            raise as_broker_error(self._settings, f"commit the offsets of group {self._group!r}", error) from None
        self._uncommitted.clear()
        return True

    def commit_in_background(self, offsets: Mapping[TopicPartition, int], on_commit: OnCommit) -> None:
        """Commit in a thread: the client reports on commits that do not wait to one function for all of them."""

        def commit() -> None:
            failure: Exception | None = None
            try:
                targets = [ClientPartition(*partition, offset) for partition, offset in offsets.items()]
                raise_partition_errors(self._consumer.commit(offsets=targets, asynchronous=False))
            except KafkaException as error:
                failure = as_broker_error(self._settings, f"commit the offsets of group {self._group!r}", error)
            self._due.append((on_commit, offsets, failure))

        self._background.submit(commit)

    def seek(self, partition: TopicPartition, offset: int) -> None:
        if partition in self._assigning:
            self._assigning[partition].offset = offset
            return
        deadline = Deadline(self._settings.request_timeout_s)
        while True:  # a partition that was just assigned cannot be sought until the client has begun to read it
            try:
                self._consumer.seek(ClientPartition(*partition, offset))
            except KafkaException as error:
                if error.args[0].name() != _NOT_YET or deadline.has_passed():
                    raise as_broker_error(self._settings, f"seek in {partition_label(*partition)}", error) from None
            else:
                return
            time.sleep(_SEEK_RETRY_S)

    def bounds(self, partition: TopicPartition) -> tuple[int, int]:
        with broker_errors(self._settings, f"look up the offsets of {partition_label(*partition)}"):
            return self._consumer.get_watermark_offsets(
                ClientPartition(*partition), timeout=self._settings.request_timeout_s, cached=False
            )

    def offset_at(self, partition: TopicPartition, timestamp: int) -> int:
        query = [ClientPartition(*partition, timestamp)]
        with broker_errors(self._settings, f"look up the offset for a timestamp in {partition_label(*partition)}"):
            found = self._consumer.offsets_for_times(query, timeout=self._settings.request_timeout_s)
            raise_partition_errors(found)
        return found[0].offset if found[0].offset >= 0 else self.bounds(partition)[1]

    def committed(self, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        if self._group is None:
            return {}
        with broker_errors(self._settings, f"read the offsets of group {self._group!r}"):
            query = [ClientPartition(*each) for each in partitions]
            found = self._consumer.committed(query, timeout=self._settings.request_timeout_s)
            raise_partition_errors(found)
        return {TopicPartition(each.topic, each.partition): each.offset for each in found if each.offset >= 0}

    def finish(self) -> None:
        """Commit the remaining offsets; records that arrive meanwhile are discarded."""
        deadline = Deadline(_REBALANCE_TIMEOUT_S)
        while not self.commit() and not deadline.has_passed():
            self._consumer.consume(1, _POLL_S)
        self._discard_uncommitted(self._uncommitted.keys())

    def partitions(self) -> Sequence[TopicPartition]:
        assigned = {TopicPartition(each.topic, each.partition) for each in self._consumer.assignment()}
        return sorted(assigned | self._assigning.keys())

    def at_end(self) -> AbstractSet[TopicPartition]:
        """Return the partitions that were read to their end since they were assigned, and have nothing left to commit."""
        return self._at_end - self._uncommitted.keys()

    def close(self) -> None:
        """Leave the group.

        A member that leaves while it is joining would stay in the group until its session times out, so joining is waited
        for. A member without partitions leaves only if it unsubscribes.
        """
        deadline = Deadline(_REBALANCE_TIMEOUT_S)
        while self._is_joining and not deadline.has_passed():
            self._consumer.consume(1, _POLL_S)
        rebalance, self._rebalance = self._rebalance, None
        if rebalance is not None and self.partitions():
            rebalance.revoked(self.partitions())  # now, since a client that is being closed cannot commit
        self._is_leaving = True
        self._background.shutdown()
        self._call_due()
        if self._group is not None:
            self._consumer.unsubscribe()
        self._consumer.close()

    def _call_due(self) -> None:
        """Report on commits that have ended meanwhile."""
        while self._due:
            on_commit, offsets, failure = self._due.pop(0)
            on_commit(offsets, failure)

    def _handle(self, error: KafkaError, message: Message) -> None:
        if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - that is the constant's public name
            self._at_end.add(_partition_of(message))
        elif error.fatal() or error.name() in _FATAL or self._is_gone(error, message):
            raise as_broker_error(self._settings, "consume", KafkaException(error))
        else:
            CLIENT_LOGGER.warning("%s", self._settings.redact(f"{error.str()} ({error.name()})"))

    def _is_gone(self, error: KafkaError, message: Message) -> bool:
        return error.name() == UNKNOWN_TOPIC and not has_partition(self._settings, self._consumer, message.topic() or "", 0)

    def _assigned(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        self._is_joining = False
        started = self._with_start(partitions)
        if self._rebalance is not None and partitions:
            self._assigning = {_partition_of_client(partition): partition for partition in started}
            try:
                self._rebalance.assigned(sorted(self._assigning))
            finally:
                self._assigning = {}
        if self._cooperative:
            consumer.incremental_assign(started)
        else:
            consumer.assign(started)
        self._notify()

    def _revoked(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        if self._rebalance is not None and partitions:
            self._rebalance.revoked(sorted(map(_partition_of_client, partitions)))
        try:
            self.commit()
        except BrokerError as error:
            LOGGER.warning("%s", error)
        self._forget(consumer, partitions)

    def _lost(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        if self._rebalance is not None and partitions:
            self._rebalance.lost(sorted(map(_partition_of_client, partitions)))
        self._forget(consumer, partitions)

    def _forget(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        if self._cooperative:
            consumer.incremental_unassign(partitions)
        else:
            consumer.unassign()
        lost = {TopicPartition(partition.topic, partition.partition) for partition in partitions}
        self._at_end -= lost
        self._discard_uncommitted(lost & self._uncommitted.keys())
        self._notify()

    def _discard_uncommitted(self, partitions: Iterable[TopicPartition]) -> None:
        for partition in sorted(partitions):
            del self._uncommitted[partition]
            LOGGER.warning(
                "group %r: %s was revoked before its offset was committed; its last records will be read again",
                self._group,
                partition_label(*partition),
            )

    def _notify(self) -> None:
        if not self._is_leaving:
            self._on_change(self.partitions())

    def _with_start(self, partitions: list[ClientPartition]) -> list[ClientPartition]:
        for partition in partitions:
            if self._is_new(TopicPartition(partition.topic, partition.partition)):
                self._set_start(partition)
            elif self._group is None:
                partition.offset = OFFSET_BEGINNING
        return partitions

    def _set_start(self, partition: ClientPartition) -> None:
        start_from = self._start.start_from
        if start_from is StartFrom.BEGINNING or (start_from is StartFrom.COMMITTED and self._group is None):
            partition.offset = OFFSET_BEGINNING
        elif start_from is StartFrom.END:
            partition.offset = OFFSET_END
        elif start_from is StartFrom.OFFSET:
            with broker_errors(self._settings, f"look up the offsets of topic {partition.topic!r}"):
                first, end = self._consumer.get_watermark_offsets(partition, timeout=self._settings.request_timeout_s)
            partition.offset = min(max(self._start.number, first), end)  # the broker would begin again with one that is too large
        elif start_from is StartFrom.TIME:
            query = [ClientPartition(partition.topic, partition.partition, self._start.number)]
            with broker_errors(self._settings, f"look up the offset for a timestamp in topic {partition.topic!r}"):
                found = self._consumer.offsets_for_times(query, timeout=self._settings.request_timeout_s)
                raise_partition_errors(found)
            partition.offset = found[0].offset


def _partition_of_client(partition: ClientPartition) -> TopicPartition:
    return TopicPartition(partition.topic, partition.partition)


def _partition_of(message: Message) -> TopicPartition:
    return TopicPartition(cast("str", message.topic()), cast("int", message.partition()))
