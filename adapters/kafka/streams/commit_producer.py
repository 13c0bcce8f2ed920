"""The producer of the commits of a process."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from confluent_kafka import KafkaException, Producer

from eddyline.adapters.kafka.clients.blocking_calls import call_with_timeout, dispose_in_background
from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors
from eddyline.adapters.kafka.clients.connection_watch import ConnectionWatch
from eddyline.adapters.kafka.clients.factory import new_producer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER
from eddyline.adapters.kafka.clients.transactions import initialize_transactions
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.producer_defaults import BATCH_DEFAULTS
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.adapters.kafka.streams.outcomes import can_be_repeated, is_lost
from eddyline.application.ports.task_streams import CommitLostError

_DEFAULTS: Final = {**BATCH_DEFAULTS, "linger.ms": "0", "compression.type": "none", "reconnect.backoff.max.ms": "1000"}
"""Records are sent as they come, one or two in a batch, where compression delays them and saves nothing."""
_INITIALIZE_S: Final = 20.0
_ABORT_S: Final = 5.0


def transactional_producer(
    settings: KafkaSettings, transactional_id: str, sender: RecordSender, on_disconnect: Callable[[], None]
) -> Producer:
    """Return a new producer, which has fenced those with the same transactional id and ended their open transaction.

    Args:
        settings: Settings of the client.
        transactional_id: The id.
        sender: Receives the delivery reports.
        on_disconnect: Called in a call of the producer after a connection has broken; must not refer to the producer.

    Raises:
        BrokerError: the brokers refuse, or do not answer.
    """
    fixed = {**sender.producer_settings, "transactional.id": transactional_id}
    producer = new_producer(settings, defaults=_DEFAULTS, fixed=fixed, on_disconnect=on_disconnect)
    action = f"initialize transactions of {transactional_id!r}"
    with broker_errors(settings, action):
        call_with_timeout(action, partial(initialize_transactions, producer), _INITIALIZE_S)
    return producer


def idempotent_producer(settings: KafkaSettings, sender: RecordSender) -> Producer:
    """Return a new producer without transactions. Raises KafkaSettingsError."""
    return new_producer(settings, defaults={**_DEFAULTS, "enable.idempotence": "true"}, fixed=sender.producer_settings)


def aborted(producer: Producer) -> bool:
    """Abort the transaction of a producer; return whether the brokers have confirmed that.

    Nothing is purged that is in flight, since that would leave a gap that only another epoch of the producer closes.
    """
    try:
        call_with_timeout("abort the transaction", producer.abort_transaction, _ABORT_S)
    except (KafkaException, BrokerUnavailableError) as error:
        CLIENT_LOGGER.warning("the transaction could not be aborted: %s", error)
        return False
    return True


_REPORTS_S = 0.5


class DisconnectedError(Exception):
    """A connection to a broker has broken, so that another producer should send again what is not committed."""


class CommitProducer:
    """A producer with the transactional id `<application id>-<number>`, or one without, which is replaced once it is of no use.

    Args:
        settings: Settings of the client.
        application_id: The application.
        exactly_once: Whether it has a transactional id.
    """

    def __init__(self, settings: KafkaSettings, application_id: str, *, exactly_once: bool) -> None:
        self._settings, self._application_id, self._exactly_once = settings, application_id, exactly_once
        self.sender = RecordSender(settings)
        """Sends the records, and knows which of them have failed."""
        self.sends_alone = False
        """Whether each record is sent in a request of its own."""
        self._producer: Producer | None = None
        self._number = 0
        self._in_transaction = False
        self._watch = ConnectionWatch()

    def open(self, number: int) -> bool:
        """Create the producer, unless it is there and has this number; return whether it was created. Raises BrokerError."""
        if self._producer is not None and (number == self._number or not self._exactly_once):
            return False
        self._number = number
        self.renew()
        return True

    def evict(self, numbers: Collection[int]) -> None:
        """Fence the producers of other numbers, which ends their open transactions. Raises BrokerError."""
        for number in numbers:
            dispose_in_background(self._created(number, RecordSender(self._settings), ConnectionWatch()))

    def begun(self) -> Producer:
        """Return the producer, with an open transaction; it is another one if a connection has broken since the last one.

        Raises:
            CommitLostError: it was closed, or another producer has its transactional id.
            BrokerError: the brokers refuse, or do not answer.
        """
        if self._producer is None:
            raise CommitLostError("the producer was closed")
        if self._exactly_once and not self._in_transaction:
            if not self._watch.is_connected(self._producer):
                self.renew()
            try:
                self._producer.begin_transaction()
            except KafkaException as error:
                self.check(error)
            self._in_transaction = True
        return self._producer

    def check_connection(self) -> None:
        """Raise DisconnectedError if a connection to a broker has broken."""
        if self._producer is not None and not self._watch.is_connected(self._producer):
            raise DisconnectedError("a connection to a broker has broken")

    def committed(self) -> None:
        """Note that the transaction is committed."""
        self._in_transaction = False

    def check(self, error: KafkaException) -> None:
        """Raise RecordsRejectedError, CommitLostError or BrokerError, unless what was sent can be sent again."""
        if self._producer is not None:
            self._producer.poll(0)
        self.sender.raise_rejected()
        failure = as_broker_error(self._settings, "commit", error)
        if is_lost(error):
            raise CommitLostError(f"another process has taken over, or may have: {failure}") from None
        if not can_be_repeated(error):
            raise failure from None
        CLIENT_LOGGER.info("%s; writing the commit again", failure)

    def restart(self, *, alone: bool) -> None:
        """Abort what was sent, and begin again; with a new producer if records are to be sent one by one, or no longer.

        If the brokers do not abort it, a new producer does so: the next commit of this one would contain it. Raises BrokerError.
        """
        producer = self._producer
        if producer is None:
            return
        is_aborted = self._abort(producer)
        if is_aborted:
            producer.flush(_REPORTS_S)  # the reports of what was purged
        self.sender.reset()
        if not is_aborted or alone != self.sends_alone or not self._exactly_once:
            self.sends_alone = alone
            self.renew()

    def renew(self) -> None:
        """Replace the producer by one with the same transactional id, which aborts an open transaction. Raises BrokerError."""
        self.close()
        self.sender = RecordSender(self._settings, alone=self.sends_alone)
        self._watch = ConnectionWatch()
        self._producer = self._created(self._number, self.sender, self._watch)

    def close(self) -> None:
        """Close the producer and abort an open transaction, which is left to the next producer if a connection has broken."""
        producer, self._producer = self._producer, None
        if producer is None:
            return
        self._abort(producer)
        producer.purge()
        dispose_in_background(producer)

    def _abort(self, producer: Producer) -> bool:
        """Abort an open transaction, unless a connection has broken; return whether none is open any more."""
        was_open, self._in_transaction = self._in_transaction, False
        return not was_open or (self._watch.is_connected(producer) and aborted(producer))

    def _created(self, number: int, sender: RecordSender, watch: ConnectionWatch) -> Producer:
        if self._exactly_once:
            return transactional_producer(self._settings, f"{self._application_id}-{number}", sender, watch.on_disconnect)
        return idempotent_producer(self._settings, sender)
