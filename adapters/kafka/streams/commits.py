"""Commits of a process to Kafka: a transaction each, or flushed without one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from confluent_kafka import KafkaException, Producer
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.blocking_calls import call_with_timeout
from eddyline.adapters.kafka.clients.broker_errors import as_broker_error
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER
from eddyline.adapters.kafka.errors import BrokerUnavailableError, RecordsRejectedError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioner, Partitioning
from eddyline.adapters.kafka.streams.commit_producer import CommitProducer, DisconnectedError
from eddyline.adapters.kafka.streams.flushed_commit import FlushedCommit, wait_for_acknowledgements
from eddyline.adapters.kafka.streams.membership import KafkaMembership
from eddyline.adapters.kafka.streams.open_transactions import OpenTransactions
from eddyline.adapters.kafka.streams.outcomes import can_be_repeated, is_lost
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.task_streams import CommitLostError, Commits

_TIMEOUT_S: Final = 20.0
_FIRST_CALL_S, _CALL_S = 5.0, 10.0


class KafkaCommits(Commits):
    """Sends records as they come, and makes them visible with the offsets of the group at each commit.

    Exactly once: a commit is one transaction, which the brokers refuse once the group has moved the tasks. The transactional id
    is `<application id>-<the lowest number held>`: a process that takes over tasks can end a transaction that their earlier owner
    has left open by the ids that it may have used. At least once: results and changes are flushed, then the tasks' records, while
    the process goes on.

    Args:
        settings: Settings of the clients.
        membership: The member of the group, in which offsets are committed.
        application_id: The application.
        partitioner: As for KafkaEventSink.
        exactly_once: Whether commits are transactions.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        membership: KafkaMembership,
        application_id: str,
        *,
        partitioner: str | Partitioner,
        exactly_once: bool,
    ) -> None:
        self._settings, self._membership = settings, membership
        self._exactly_once = exactly_once
        self._producer = CommitProducer(settings, application_id, exactly_once=exactly_once)
        self._partitioning = Partitioning(partitioner, settings, Topics(settings).partitions)
        self._held: frozenset[int] = frozenset()
        self._sent = self._disconnections = 0
        self._commit: FlushedCommit | None = None
        self._open_transactions = OpenTransactions(settings, application_id)

    def open(self, numbers: Collection[int]) -> None:
        self._held = frozenset(numbers)
        if self._producer.open(min(self._held)):
            self._sent = 0

    def evict(self, numbers: Collection[int]) -> None:
        if self._exactly_once:
            self._producer.evict(set(numbers) - {min(self._held)})

    def send(self, records: Sequence[SinkRecord]) -> None:
        producer = self._producer.begun()
        try:
            self._producer.sender.send(producer, records, self._partitioning)
        except RecordsRejectedError:
            self._producer.sends_alone = True  # `write` sends everything again and finds out which
        except KafkaException as error:  # `write` finds out what it means, and sends everything again
            if not (is_lost(error) or can_be_repeated(error)):
                raise as_broker_error(self._settings, "write results", error) from None
        producer.poll(0)
        self._sent += len(records)

    def write(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        sent, self._sent, self._disconnections = self._sent, 0, 0
        if self._producer.sends_alone:
            self._restart(alone=True)
            sent = 0
        try:
            self._write(records, last, positions, sent)
        except RecordsRejectedError as error:
            self._restart(alone=not error.certain)
            if error.certain:
                raise
            try:
                self._write(records, last, positions, 0)
            except RecordsRejectedError:
                self._restart(alone=True)
                raise
        if self._producer.sends_alone:
            self._restart(alone=False)
        self._partitioning.begin_batch(batch + 1)
        return True

    def begin(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        if self._exactly_once or self._producer.sends_alone:
            return False
        try:
            self._commit = self._flushed().begin(records[self._sent :], last, positions)
        except (KafkaException, RecordsRejectedError):  # `write` sends everything again and finds out what it means
            return False
        self._sent = 0
        self._partitioning.begin_batch(batch + 1)
        return True

    def is_written(self, *, wait: bool) -> bool:
        commit, self._commit = self._commit, None
        try:
            if commit is not None and wait:
                commit.finish(Deadline(_TIMEOUT_S))
            elif commit is not None and not commit.advance():
                self._commit = commit
        except RecordsRejectedError as error:
            self._restart(alone=not error.certain)
            raise
        except KafkaException as error:
            self._producer.check(error)
            raise CommitLostError("the commit was interrupted") from error
        return self._commit is None

    def is_settled(self, partition: TopicPartition) -> bool:
        return not (self._exactly_once and self._open_transactions.exist_in(partition))

    def are_settled(self, inputs: Collection[TopicPartition]) -> bool:
        return not (self._exactly_once and self._open_transactions.have_offsets_of(inputs))

    def close(self) -> None:
        self._producer.close()
        self._open_transactions.close()

    # --- writing ------------------------------------------------------------------------------------------------------

    def _write(
        self, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int], sent: int
    ) -> None:
        """Send what was not sent yet, and commit.

        While the group is rebalancing, the brokers refuse a commit. It is written again from its first record, at the latest when
        this process learns which tasks move: until then they are its own.
        """
        deadline = Deadline(_TIMEOUT_S)
        attempt = partial(self._attempt, records, last, positions)
        if attempt(sent, deadline):
            return
        committed: list[bool] = []
        while not committed:
            if deadline.has_passed():
                raise CommitLostError("the processes of the application did not agree on their tasks in time")
            self._membership.take_part(lambda _numbers: committed.append(self._before_loss(attempt, deadline)))
            if not committed and attempt(0, deadline):
                return

    def _before_loss(self, attempt: Callable[[int, Deadline], bool], deadline: Deadline) -> bool:
        if not attempt(0, deadline):
            raise CommitLostError("tasks have moved to another process before they could be committed")
        return True

    def _attempt(
        self,
        records: Sequence[SinkRecord],
        last: Sequence[SinkRecord],
        positions: Mapping[TopicPartition, int],
        sent: int,
        deadline: Deadline,
    ) -> bool:
        """Commit; return False if that has to be done again, from the first record on."""
        try:
            if self._exactly_once:
                self._write_transaction([*records[sent:], *last], positions, deadline)
            else:
                self._flushed().begin(records[sent:], last, positions).finish(Deadline(_TIMEOUT_S))
        except DisconnectedError as error:
            CLIENT_LOGGER.info("%s; writing the commit again with a new producer", error)
            self._disconnections += 1
            self._producer.renew()
            return False
        except KafkaException as error:
            self._producer.check(error)
            self._restart(alone=self._producer.sends_alone)
            return False
        return True

    def _write_transaction(
        self, records: Sequence[SinkRecord], positions: Mapping[TopicPartition, int], deadline: Deadline
    ) -> None:
        """Write and commit a transaction.

        Until the commit, another producer can take over if requests hang. Whether a commit that hangs has been carried out, only
        the offsets of the group tell, from which the next session starts.
        """
        producer = self._producer.begun()
        self._producer.sender.send(producer, records, self._partitioning)
        if positions:
            self._producer.check_connection()
            try:
                self._add_offsets(producer, positions, deadline)
            except BrokerUnavailableError as error:
                raise DisconnectedError(str(error)) from None
        wait_for_acknowledgements(self._settings, producer, self._producer.sender, deadline)
        self._producer.check_connection()
        self._call("commit the transaction", producer.commit_transaction, deadline, _CALL_S)
        self._producer.committed()

    def _add_offsets(self, producer: Producer, positions: Mapping[TopicPartition, int], deadline: Deadline) -> None:
        offsets = [ClientPartition(*partition, offset) for partition, offset in positions.items()]
        add = partial(producer.send_offsets_to_transaction, offsets, self._membership.metadata())
        self._call("add offsets", add, deadline, min(_FIRST_CALL_S * (1 + self._disconnections), _CALL_S))

    def _flushed(self) -> FlushedCommit:
        producer = self._producer.begun()
        return FlushedCommit(self._settings, producer, self._producer.sender, self._partitioning, self._membership.consumer)

    def _restart(self, *, alone: bool) -> None:
        self._sent = 0
        self._producer.restart(alone=alone)

    def _call(self, action: str, call: Callable[[float], None], deadline: Deadline, longest_s: float) -> None:
        call_with_timeout(action, call, deadline.remaining_s(at_least=1.0, at_most=longest_s))
