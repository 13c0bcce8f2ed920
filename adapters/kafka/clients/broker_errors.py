"""Translates errors of the client into those of `eddyline.adapters.kafka.errors`, without secrets."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from eddyline.adapters.kafka.clients.auth_failures import recent_auth_failure
from eddyline.adapters.kafka.clients.error_codes import AUTHORIZATION, TRANSIENT, fix_for
from eddyline.adapters.kafka.errors import AuthenticationError, AuthorizationError, BrokerError, BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings

_CALLBACK_S = 0.1


class Pollable(Protocol):
    """A client that calls back about its errors when it is polled."""

    def poll(self, timeout: float = -1, /) -> object:
        """Serve callbacks."""


@contextmanager
def broker_errors(settings: KafkaSettings, action: str, client: Pollable | None = None) -> Iterator[None]:
    """Raise BrokerError instead of the client's exceptions; arguments as for `as_broker_error`."""
    try:
        yield
    except KafkaException as error:
        raise as_broker_error(settings, action, error, client) from None


def as_broker_error(settings: KafkaSettings, action: str, error: KafkaException, client: Pollable | None = None) -> BrokerError:
    """Return the BrokerError for an exception of the client.

    Args:
        settings: The settings of the client.
        action: What failed; completes "could not …".
        error: The exception.
        client: The client, if it is not polled elsewhere and has no partitions to read: after a timeout it is polled, to
            learn of a failed authentication.
    """
    code = error.args[0]
    name, reason = code.name(), f"{settings.redact(code.str())} ({code.name()})"
    if name in TRANSIENT:
        if client is not None:
            client.poll(_CALLBACK_S)
        return unavailable(settings, action, reason)
    kind = AuthorizationError if name in AUTHORIZATION else BrokerError
    return kind(f"could not {action} at {settings.bootstrap_servers}: {reason}{fix_for(name)}")


def unavailable(settings: KafkaSettings, action: str, reason: str) -> BrokerError:
    """Return the error for brokers that did not answer: the failed authentication if there was one, else an outage."""
    auth_failure = recent_auth_failure(settings)
    start = f"could not {action} at {settings.bootstrap_servers}"
    if auth_failure is not None:
        return AuthenticationError(f"{start}: {auth_failure}")
    return BrokerUnavailableError(f"{start}: {reason}; check that the brokers are running and reachable")


def raise_partition_errors(partitions: Iterable[TopicPartition]) -> None:
    """Raise KafkaException for the first partition with an error: a request may fail for some of its partitions only."""
    for partition in partitions:
        if (error := partition.error) is not None:
            label = partition_label(partition.topic, partition.partition)
            raise KafkaException(KafkaError(error.code(), f"{label}: {error.str()}"))


def partition_label(topic: str, partition: int) -> str:
    """Return the name of a partition in messages."""
    return f"topic {topic!r}, partition {partition}"
