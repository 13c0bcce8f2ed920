"""Creates the clients, each with a logger that hides secrets and a callback that notices failed authentication."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.clients.auth_failures import record_auth_failure
from eddyline.adapters.kafka.clients.logs import RedactingLogger
from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings import KafkaSettings

METADATA_GROUP = "eddyline-questions"
"""The group id of consumers that only request metadata and offsets; none of them joins the group."""

READER_GROUP = "eddyline-reader"
"""The group id of consumers that are assigned their partitions; none of them joins the group."""

_DISCONNECTED = frozenset({"_ALL_BROKERS_DOWN", "_TRANSPORT"})
_LOGGED_BY_CLIENT = _DISCONNECTED | {"_AUTHENTICATION", "_RESOLVE", "_SSL"}
_DEFAULTS = {"log_level": 4, "allow.auto.create.topics": "false"}

T = TypeVar("T")


def new_consumer(
    settings: KafkaSettings, group: str, *, defaults: Mapping[str, Any] | None = None, fixed: Mapping[str, Any] | None = None
) -> Consumer:
    """Create a consumer without automatic commits that reads committed records only, unless `settings` say otherwise.

    Args:
        settings: Settings of the user.
        group: The group id.
        defaults: Settings that those of the user override.
        fixed: Settings that override those of the user.

    Raises:
        KafkaSettingsError: the client rejects a value.
    """
    manual_commits = {"group.id": group, "enable.auto.commit": False, "enable.auto.offset.store": False}
    return _new(
        Consumer,
        settings,
        {"isolation.level": "read_committed", **(defaults or {}), **settings.consumer(), **(fixed or {}), **manual_commits},
    )


def new_producer(
    settings: KafkaSettings,
    *,
    defaults: Mapping[str, Any] | None = None,
    fixed: Mapping[str, Any] | None = None,
    on_disconnect: Callable[[], None] | None = None,
) -> Producer:
    """Create a producer.

    Args:
        settings: Settings of the user.
        defaults: Settings that those of the user override.
        fixed: Settings that override those of the user.
        on_disconnect: Called in a call of the producer, such as `poll`, after a connection has broken or could not be made.

    Raises:
        KafkaSettingsError: the client rejects a value.
    """
    return _new(Producer, settings, {**(defaults or {}), **settings.producer(), **(fixed or {})}, on_disconnect)


def new_admin(settings: KafkaSettings) -> AdminClient:
    """Create an admin client. Raises KafkaSettingsError."""
    return _new(AdminClient, settings, dict(settings.admin()))


def _new(
    create: Callable[..., T], settings: KafkaSettings, values: dict[str, Any], on_disconnect: Callable[[], None] | None = None
) -> T:
    logger = RedactingLogger(settings)

    def on_error(error: KafkaError) -> None:
        record_auth_failure(settings, error)
        if on_disconnect is not None and error.name() in _DISCONNECTED:
            on_disconnect()
        if error.name() not in _LOGGED_BY_CLIENT:
            logger.log(logging.WARNING, "%s (%s)", error.str(), error.name())

    try:
        return create({**_DEFAULTS, **values, "error_cb": on_error, "logger": logger})
    except KafkaException as error:
        reason = error.args[0].str()
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise KafkaSettingsError(settings.redact(f"the settings of the Kafka client are invalid: {reason}"))
