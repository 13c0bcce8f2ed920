"""Producers of the commits of a process."""

from functools import partial
from typing import Final

from confluent_kafka import KafkaException, Producer

from eddyline.adapters.kafka.clients.blocking_calls import call_with_timeout
from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.factory import new_producer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER
from eddyline.adapters.kafka.clients.transactions import initialize_transactions
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.producer_defaults import BATCH_DEFAULTS, ONE_BY_ONE
from eddyline.adapters.kafka.sink.record_sender import RecordSender

_DEFAULTS: Final = {**BATCH_DEFAULTS, "linger.ms": "0", "compression.type": "none", "reconnect.backoff.max.ms": "1000"}
"""Records are sent as they come, one or two in a batch, where compression delays them and saves nothing."""
_INITIALIZE_S: Final = 20.0
_ABORT_S: Final = 5.0


def transactional_producer(settings: KafkaSettings, transactional_id: str, sender: RecordSender, *, alone: bool) -> Producer:
    """Return a new producer, which has fenced those with the same transactional id and ended their open transaction.

    Args:
        settings: Settings of the client.
        transactional_id: The id.
        sender: Receives the delivery reports.
        alone: Whether each record is sent in a request of its own.

    Raises:
        BrokerError: the brokers refuse, or do not answer.
    """
    producer = new_producer(
        settings, defaults=_DEFAULTS, fixed={**_fixed(sender, alone=alone), "transactional.id": transactional_id}
    )
    action = f"initialize transactions of {transactional_id!r}"
    with broker_errors(settings, action):
        call_with_timeout(action, partial(initialize_transactions, producer), _INITIALIZE_S)
    return producer


def idempotent_producer(settings: KafkaSettings, sender: RecordSender, *, alone: bool) -> Producer:
    """Return a new producer without transactions; the arguments are those above."""
    return new_producer(settings, defaults={**_DEFAULTS, "enable.idempotence": "true"}, fixed=_fixed(sender, alone=alone))


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


def _fixed(sender: RecordSender, *, alone: bool) -> dict[str, object]:
    return {**(ONE_BY_ONE if alone else {}), "delivery.report.only.error": True, "on_delivery": sender.on_delivery}
