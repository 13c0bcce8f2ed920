"""Producers of the commits of a process."""

from collections.abc import Callable
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
from eddyline.adapters.kafka.sink.producer_defaults import BATCH_DEFAULTS
from eddyline.adapters.kafka.sink.record_sender import RecordSender

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
