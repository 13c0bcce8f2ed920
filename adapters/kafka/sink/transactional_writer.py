"""Writes the batches of one slot, each in one transaction together with its number."""

from collections.abc import Callable, Sequence
from functools import partial

from confluent_kafka import KafkaException, Producer

from eddyline.adapters.kafka.clients.blocking_calls import call_with_timeout, dispose_in_background
from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.connection_watch import ConnectionWatch
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.factory import new_producer
from eddyline.adapters.kafka.clients.transactions import initialize_transactions
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.sink.partitioning import Partitioning
from eddyline.adapters.kafka.sink.producer_defaults import BATCH_DEFAULTS
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.application.ports.event_sink import SinkRecord

_FLUSH_S = 1.0
_MIN_CALL_S, _FIRST_CALL_S, _MAX_CALL_S = 1.0, 5.0, 15.0
_ABORT_S = 5.0


class TransactionalWriter:
    """A producer with the transactional id `<writer>-<slot>`, which owns the slot from its creation on.

    Its creation first fences an earlier producer of the slot, which aborts the open transaction of that one, and only then
    reads the number of the last batch: the answer would have to wait for the open transaction. From then on no other producer
    can write to the slot without fencing this one. After a KafkaException or BrokerError, close the writer and create another.

    Args:
        settings: The settings of the clients.
        writer: The name of the writer.
        slot: The slot.
        numbers: Has the numbers of the batches.
        deadline: Limits how long to wait for the brokers.
        attempt: How many attempts to write the batch have failed. The first attempt waits up to five seconds for each request,
            since a new producer may succeed at once where requests hang; retries wait longer, since brokers may just be slow.
        alone: Whether each record is sent in a request of its own.

    Raises:
        KafkaException, BrokerError: the brokers reject a request or do not answer.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        writer: str,
        slot: int,
        numbers: BatchNumbers,
        deadline: Deadline,
        *,
        attempt: int = 0,
        alone: bool = False,
    ) -> None:
        self._settings = settings
        self._slot = slot
        self._id = f"{writer}-{slot}"
        self._sender = RecordSender(settings, alone=alone)
        self._numbers = numbers  # its client belongs to a pool, which may close it from here on
        self._longest_call_s = min(_FIRST_CALL_S * (attempt + 1), _MAX_CALL_S)
        self._is_new = True
        self._watch = ConnectionWatch()
        numbers.ensure_slot(slot)
        self._producer: Producer = new_producer(
            settings,
            defaults=BATCH_DEFAULTS,
            fixed={**self._sender.producer_settings, "transactional.id": self._id},
            on_disconnect=self._watch.on_disconnect,
        )
        try:
            self._call("initialize transactions", partial(initialize_transactions, self._producer), deadline)
            self._last = numbers.last(slot, self._timeout_s(deadline))
            self._group = numbers.group_metadata()
        except BaseException:
            self.close()
            raise

    def write(self, batch: int, records: Sequence[SinkRecord], partitioning: Partitioning, deadline: Deadline) -> bool:
        """Write a batch, unless it was written before.

        Args:
            batch: The number of the batch.
            records: Its records.
            partitioning: Chooses the partitions of records.
            deadline: Limits how long to wait for the brokers.

        Returns:
            False if the batch was written before.

        Raises:
            DeliveryError: a record was rejected; nothing of the batch is visible.
            KafkaException, BrokerError: the brokers reject a request or do not answer.
        """
        if self._last is not None and batch <= self._last:
            return False
        self._is_new = False
        self._sender.reset()
        try:
            self._write(batch, records, partitioning, deadline)
        except KafkaException:
            self._producer.poll(0)
            self._sender.raise_rejected()
            raise
        self._last = batch
        return True

    def is_connected(self) -> bool:
        """Return whether no connection to a broker has broken; otherwise the first calls may block."""
        return self._watch.is_connected(self._producer)

    def follows(self, batch: int) -> bool:
        """Return whether this producer has written the batch before this one, or no batch yet.

        Otherwise batches are missing: the slot may have had nothing to write, or its task may have moved to another process.
        """
        return self._is_new or (self._last is not None and batch <= self._last + 1)

    def is_last(self, numbers: BatchNumbers, deadline: Deadline) -> bool:
        """Return whether this producer is the last one that has written to the slot.

        Otherwise the brokers would fence this one, of which the client logs fatal errors. Raises BrokerError.
        """
        return numbers.last(self._slot, self._timeout_s(deadline)) == self._last

    def abort(self) -> None:
        """Abort the open transaction, so that readers need not wait for it. Raises BrokerError."""
        self._producer.purge()
        action = self._action("abort the transaction")
        with broker_errors(self._settings, action):
            call_with_timeout(action, self._producer.abort_transaction, _ABORT_S)

    def close(self) -> None:
        """Close the producer, whatever its state; an open transaction is left to the next producer of the slot."""
        self._producer.purge()
        dispose_in_background(self._producer)

    def _write(self, batch: int, records: Sequence[SinkRecord], partitioning: Partitioning, deadline: Deadline) -> None:
        self._producer.begin_transaction()
        self._sender.send(self._producer, records, partitioning)
        offsets = self._numbers.as_offsets(self._slot, batch)
        self._call(
            "add the batch number to the transaction",
            lambda timeout_s: self._producer.send_offsets_to_transaction(offsets, self._group, timeout_s),
            deadline,
        )
        while self._producer.flush(_FLUSH_S) and not deadline.has_passed():
            self._sender.raise_rejected()
        self._sender.raise_rejected()
        self._call("commit the transaction", self._producer.commit_transaction, deadline)

    def _call(self, action: str, call: Callable[[float], None], deadline: Deadline) -> None:
        call_with_timeout(self._action(action), call, self._timeout_s(deadline))

    def _timeout_s(self, deadline: Deadline) -> float:
        return deadline.remaining_s(at_least=_MIN_CALL_S, at_most=self._longest_call_s)

    def _action(self, action: str) -> str:
        return f"{action} of transactional id {self._id!r}"
