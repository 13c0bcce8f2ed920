"""Starts the transactions of a producer."""

from contextlib import suppress
from typing import Final

from confluent_kafka import KafkaException, Producer

from eddyline.adapters.kafka.clients.deadline import Deadline

_COORDINATED_BY: Final = "__transaction_state"
_CONNECT_S: Final = 2.0
_LEAST_S: Final = 0.5


def initialize_transactions(producer: Producer, timeout_s: float) -> None:
    """Let a new producer take over its transactional id; blocks for up to `timeout_s` seconds.

    librdkafka looks for the coordinator at once if the producer is connected, else again only after 500 ms. A request for
    metadata returns when it is connected; so this takes 60 ms instead of 500 to 1,000.

    Raises:
        KafkaException: the brokers refuse, or do not answer in time.
    """
    deadline = Deadline(timeout_s)
    with suppress(KafkaException):  # the call that follows says what is wrong
        producer.list_topics(_COORDINATED_BY, timeout=min(timeout_s, _CONNECT_S))
    producer.init_transactions(deadline.remaining_s(at_least=_LEAST_S))
