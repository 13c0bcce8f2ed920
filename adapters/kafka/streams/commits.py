"""Commits of a process to Kafka: a transaction each, or flushed without one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from confluent_kafka import KafkaException, Producer
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.blocking_calls import call_with_timeout, dispose_in_background
from eddyline.adapters.kafka.clients.broker_errors import as_broker_error
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER
from eddyline.adapters.kafka.errors import RecordsRejectedError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioner, Partitioning
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.adapters.kafka.streams.flushed_commit import FlushedCommit, wait_for_acknowledgements
from eddyline.adapters.kafka.streams.membership import KafkaMembership
from eddyline.adapters.kafka.streams.open_transactions import OpenTransactions
from eddyline.adapters.kafka.streams.outcomes import can_be_repeated, is_lost
from eddyline.adapters.kafka.streams.producers import aborted, idempotent_producer, transactional_producer
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.task_streams import CommitLostError, Commits

_TIMEOUT_S: Final = 20.0
_CALL_S: Final = 10.0
_REPORTS_S: Final = 0.5


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
        self._settings, self._membership, self._application_id = settings, membership, application_id
        self._exactly_once = exactly_once
        self._partitioning = Partitioning(partitioner, settings, Topics(settings).partitions)
        self._held: frozenset[int] = frozenset()
        self._producer: Producer | None = None
        self._sender = RecordSender(settings)
        self._alone = self._in_transaction = False
        self._sent = 0
        self._commit: FlushedCommit | None = None
        self._open_transactions = OpenTransactions(settings, application_id)

    def open(self, numbers: Collection[int]) -> None:
        held = frozenset(numbers)
        if self._exactly_once:
            own = min(held)
            if self._producer is None or own != min(self._held):
                self._renew(own)
        elif self._producer is None:
            self._renew(0)
        self._held = held

    def evict(self, numbers: Collection[int]) -> None:
        if self._exactly_once:
            for number in set(numbers) - {min(self._held)}:
                dispose_in_background(self._created(number, RecordSender(self._settings)))

    def send(self, records: Sequence[SinkRecord]) -> None:
        producer = self._begun()
        try:
            self._sender.send(producer, records, self._partitioning)
        except RecordsRejectedError:
            self._alone = True  # `write` sends everything again and finds out which
        except KafkaException as error:  # `write` finds out what it means, and sends everything again
            if not (is_lost(error) or can_be_repeated(error)):
                raise as_broker_error(self._settings, "write results", error) from None
        producer.poll(0)
        self._sent += len(records)

    def write(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        sent, self._sent = self._sent, 0
        if self._alone:
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
        if self._alone:
            self._restart(alone=False)
        self._partitioning.begin_batch(batch + 1)
        return True

    def begin(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        if self._exactly_once or self._alone:
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
            self._check(error)
            raise CommitLostError("the commit was interrupted") from error
        return self._commit is None

    def is_settled(self, partition: TopicPartition) -> bool:
        return not (self._exactly_once and self._open_transactions.exist_in(partition))

    def are_settled(self, inputs: Collection[TopicPartition]) -> bool:
        return not (self._exactly_once and self._open_transactions.have_offsets_of(inputs))

    def close(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            if self._in_transaction:
                self._abort(producer)
            producer.purge()
            dispose_in_background(producer)
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
        except KafkaException as error:
            self._check(error)
            self._restart(alone=self._alone)
            return False
        return True

    def _check(self, error: KafkaException) -> None:
        """Raise RecordsRejectedError, CommitLostError or BrokerError, unless the commit can be written again."""
        if self._producer is not None:
            self._producer.poll(0)
        self._sender.raise_rejected()
        failure = as_broker_error(self._settings, "commit", error)
        if is_lost(error):
            raise CommitLostError(f"another process has taken over, or may have: {failure}") from None
        if not can_be_repeated(error):
            raise failure from None
        CLIENT_LOGGER.info("%s; writing the commit again", failure)

    def _write_transaction(
        self, records: Sequence[SinkRecord], positions: Mapping[TopicPartition, int], deadline: Deadline
    ) -> None:
        producer = self._begun()
        self._sender.send(producer, records, self._partitioning)
        if positions:
            offsets = [ClientPartition(*partition, offset) for partition, offset in positions.items()]
            metadata = self._membership.metadata()
            self._call(
                "add offsets", lambda timeout_s: producer.send_offsets_to_transaction(offsets, metadata, timeout_s), deadline
            )
        wait_for_acknowledgements(self._settings, producer, self._sender, deadline)
        self._call("commit the transaction", producer.commit_transaction, deadline)
        self._in_transaction = False

    def _flushed(self) -> FlushedCommit:
        consumer = self._membership.consumer
        return FlushedCommit(self._settings, self._begun(), self._sender, self._partitioning, consumer)

    def _call(self, action: str, call: Callable[[float], None], deadline: Deadline) -> None:
        call_with_timeout(action, call, deadline.remaining_s(at_least=1.0, at_most=_CALL_S))

    # --- the producer -------------------------------------------------------------------------------------------------

    def _begun(self) -> Producer:
        """Return the producer, with an open transaction."""
        producer = self._producer
        if producer is None:
            raise CommitLostError("the producer was closed")
        if self._exactly_once and not self._in_transaction:
            try:
                producer.begin_transaction()
            except KafkaException as error:
                self._check(error)
            self._in_transaction = True
        return producer

    def _restart(self, *, alone: bool) -> None:
        """Abort what was sent, and begin again; with a new producer if records are to be sent one by one, or no longer.

        If the brokers do not abort it, a new producer does so: the next commit of this one would contain it.
        """
        producer = self._producer
        if producer is None:
            return
        is_aborted = not self._in_transaction or self._abort(producer)
        if is_aborted:
            producer.flush(_REPORTS_S)  # the reports of what was purged
        self._sender.reset()
        if not is_aborted or alone != self._alone or not self._exactly_once:
            self._alone = alone
            self._renew(min(self._held, default=0))

    def _abort(self, producer: Producer) -> bool:
        self._in_transaction = False
        return aborted(producer)

    def _renew(self, number: int) -> None:
        old, self._producer = self._producer, None
        if old is not None:
            if self._in_transaction:
                self._abort(old)
            old.purge()
            dispose_in_background(old)
        self._sender = RecordSender(self._settings, alone=self._alone)
        self._sent = 0
        self._producer = self._created(number, self._sender)

    def _created(self, number: int, sender: RecordSender) -> Producer:
        if self._exactly_once:
            return transactional_producer(self._settings, f"{self._application_id}-{number}", sender)
        return idempotent_producer(self._settings, sender)
